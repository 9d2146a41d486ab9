package ddl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/index/btree"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/catalog"
	_ "github.com/calfdb/calf/sql/ddl"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

// session runs utility commands over a store in memory, without an executor.
type session struct {
	t       *testing.T
	view    *catalog.View
	backend *executor.Backend
	proc    *xact.Proc
	waiter  *heap.LockWaiter
	notices []string
}

func newSession(t *testing.T) *session {
	store, err := pagestore.Open(pagestore.Options{Dir: "db", FS: vfs.NewMem(), MinFreeDisk: 1, SyncInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	xm, err := xact.Open(store)
	if err != nil {
		t.Fatal(err)
	}
	pool := buffer.New(store, 4096)
	c, err := catalog.Bootstrap(catalog.Storage{Store: store, Heap: heap.New(pool, xm), Xact: xm,
		AMs: map[catalog.OID]index.AM{catalog.BTreeAM: btree.New(pool, nil)}}, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	s := &session{t: t}
	ls := lock.NewManager().NewSession(1)
	hs := &heap.Session{}
	s.waiter = &heap.LockWaiter{Session: ls, Tx: func() *xact.Tx { return hs.Tx }}
	hs.Waiter = s.waiter
	s.proc = xm.NewProc(s.waiter)
	if s.view, err = c.NewView(catalog.PostgresDB, hs); err != nil {
		t.Fatal(err)
	}
	env := &types.Env{Catalog: s.view.TypeCatalog(), Notice: func(n *pgerr.Error) {
		s.notices = append(s.notices, n.Severity+": "+n.Message)
		if n.Detail != "" {
			s.notices = append(s.notices, "DETAIL: "+n.Detail)
		}
	}}
	s.view.SetEnv(env)
	s.backend = &executor.Backend{Catalog: s.view, Env: env, Heap: hs, Temp: &executor.TempSpace{Dir: t.TempDir()}}
	s.backend.After = executor.NewAfterTriggers(s.backend)
	t.Cleanup(func() {
		if err := pool.CheckNoPins(); err != nil {
			t.Error(err)
		}
		c.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		pool.Close()
	})
	return s
}

func (s *session) begin() {
	s.waiter.Owner = s.waiter.Session.NewOwner(lock.TransactionOwner, nil)
	s.backend.Heap.Tx = s.proc.Begin(xact.ReadCommitted, false)
}

func (s *session) commit() error {
	if err := s.view.PreCommit(); err != nil {
		return err
	}
	if err := s.backend.Heap.Tx.Commit(); err != nil {
		return err
	}
	s.waiter.Owner.Close()
	return nil
}

func (s *session) rollback() {
	s.backend.Heap.Tx.Abort()
	s.waiter.Owner.Close()
}

func (s *session) CommandCounterIncrement() error    { return s.view.NextCommand() }
func (s *session) CheckSetting(string, string) error { return nil }
func (s *session) ChecksFunctionBodies() bool        { return true }
func (s *session) WithSearchPathBefore(_ string, fn func() error) error {
	return fn()
}
func (s *session) MayChangeSystemTables() bool { return false }
func (s *session) Simplify(e query.Expr) (query.Expr, error) {
	return e, nil
}
func (s *session) RequireNoBlock(string) error { return nil }
func (s *session) CommitAndStart() error {
	err := s.commit()
	s.begin()
	return err
}
func (s *session) RunQuery(string, []types.Datum) ([]types.Row, error) {
	return nil, fmt.Errorf("no queries here")
}
func (s *session) OpenRelation(schema, name string, mode int) (*catalog.Relation, error) {
	oid, err := s.view.RelationByName(schema, name)
	if oid == 0 || err != nil {
		return nil, err
	}
	return s.LockRelation(oid, mode)
}
func (s *session) LockRelation(oid types.OID, mode int) (*catalog.Relation, error) {
	if mode != 0 {
		if err := s.waiter.Session.Acquire(s.waiter.Owner, lock.Relation(5, uint32(oid)), lock.Mode(mode)); err != nil {
			return nil, err
		}
	}
	return s.view.Relation(oid)
}
func (s *session) RunTree(*executor.Command, *query.Query, func(types.Row) error) error {
	return fmt.Errorf("no queries here")
}
func (s *session) AtPreCommit(func() error) {}

// run runs commands in the current transaction.
func (s *session) run(sql string) (tag string, err error) {
	stmts, err := parse.Parse(sql)
	if err != nil {
		return "", err
	}
	for _, stmt := range stmts {
		f := executor.LookupCommand(fmt.Sprintf("%T", stmt.Node.Node))
		if f == nil {
			return "", fmt.Errorf("no command for %T", stmt.Node.Node)
		}
		if tag, err = f(&executor.Command{Backend: s.backend, Node: stmt.Node, Text: stmt.Text(sql), Source: sql, Session: s}); err != nil {
			return "", err
		}
		if err := s.view.NextCommand(); err != nil {
			return "", err
		}
	}
	return tag, nil
}

// must runs commands in a transaction of their own.
func (s *session) must(sql string) {
	s.t.Helper()
	s.begin()
	if _, err := s.run(sql); err != nil {
		s.rollback()
		s.t.Fatalf("%s: %v (%s)", sql, err, pgerr.From(err).Detail)
	}
	if err := s.commit(); err != nil {
		s.t.Fatal(err)
	}
}

// fails runs a command that must fail with a message.
func (s *session) fails(sql, message string) {
	s.t.Helper()
	s.begin()
	defer s.rollback()
	if _, err := s.run(sql); err == nil || err.Error() != message {
		s.t.Errorf("%s:\n got %v\nwant %s", sql, err, message)
	}
}

func (s *session) rel(name string) *catalog.Relation {
	s.t.Helper()
	oid, err := s.view.RelationByName("", name)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := s.view.Relation(oid)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *session) insert(table string, rows ...types.Row) {
	s.t.Helper()
	rel := s.rel(table)
	h, err := s.view.OpenHeap(rel)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, row := range rows {
		tid, err := h.Insert(s.backend.Heap, row, heap.InsertOpts{})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, ix := range rel.Indexes {
			x, err := s.view.OpenIndex(s.backend.Env, rel, ix)
			if err != nil {
				s.t.Fatal(err)
			}
			vals := types.Row{}
			for _, k := range ix.Keys {
				vals = append(vals, row[k-1])
			}
			if _, err := x.Insert(&index.InsertArgs{Values: vals, TID: tid}); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// TestPgbenchTables runs what pgbench -i runs, without the data's queries.
func TestPgbenchTables(t *testing.T) {
	s := newSession(t)
	s.must("drop table if exists pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers")
	s.must(`create table pgbench_history(tid int,bid int,aid int,delta int,mtime timestamp,filler char(22));
		create table pgbench_tellers(tid int not null,bid int,tbalance int,filler char(84)) with (fillfactor=100);
		create table pgbench_accounts(aid int not null,bid int,abalance int,filler char(84)) with (fillfactor=100);
		create table pgbench_branches(bid int not null,bbalance int,filler char(88)) with (fillfactor=100)`)
	if len(s.notices) != 4 {
		t.Error(s.notices)
	}
	s.begin()
	s.insert("pgbench_branches", types.Row{types.Int4(1), types.Int4(0), types.Null})
	for i := range 1000 {
		s.insert("pgbench_accounts", types.Row{types.Int4(int32(i + 1)), types.Int4(1), types.Int4(0), types.Text(strings.Repeat(" ", 84))})
	}
	if err := s.commit(); err != nil {
		t.Fatal(err)
	}
	s.must("alter table pgbench_branches add primary key (bid); alter table pgbench_tellers add primary key (tid); alter table pgbench_accounts add primary key (aid)")
	s.must(`alter table pgbench_accounts add constraint pgbench_accounts_bid_fkey foreign key (bid) references pgbench_branches;
		alter table pgbench_history add constraint pgbench_history_aid_fkey foreign key (aid) references pgbench_accounts`)
	s.must("vacuum analyze pgbench_accounts")
	s.begin()
	acc := s.rel("pgbench_accounts")
	if acc.Tuples != 1000 || acc.Pages != 17 || len(acc.Indexes) != 1 || acc.PKIndex == 0 || len(acc.FKs) != 1 || len(acc.RefBy) != 1 || acc.Fillfactor != 100 {
		t.Errorf("%+v", acc)
	}
	if st, err := s.view.Statistic(acc.OID, 1, false); err != nil || st == nil || st.Distinct != -1 || len(st.Slots[0].Values) != 101 {
		t.Errorf("statistics of aid: %+v, %v", st, err)
	}
	if st, err := s.view.Statistic(acc.OID, 2, false); err != nil || st == nil || st.Distinct != 1 || st.Slots[0].Kind != 1 || st.Slots[0].Numbers[0] != 1 {
		t.Errorf("statistics of bid: %+v, %v", st, err)
	}
	if err := s.commit(); err != nil {
		t.Fatal(err)
	}
	s.fails("drop table pgbench_branches", "cannot drop table pgbench_branches because other objects depend on it")
	s.fails("truncate pgbench_branches", "cannot truncate a table referenced in a foreign key constraint")
	s.must("truncate pgbench_accounts, pgbench_history")
	s.notices = nil
	s.must("drop table pgbench_branches cascade")
	if len(s.notices) != 1 || s.notices[0] != "NOTICE: drop cascades to constraint pgbench_accounts_bid_fkey on table pgbench_accounts" {
		t.Error(s.notices)
	}
	s.must("vacuum full pgbench_accounts; reindex table pgbench_tellers; drop table pgbench_accounts, pgbench_history, pgbench_tellers")
}

// TestRollback: nothing of a DDL transaction that is undone is left.
func TestRollback(t *testing.T) {
	s := newSession(t)
	s.begin()
	if _, err := s.run("create table t (a serial primary key, b text default 'x' check (b <> ''), unique (b)); create schema sc create table u (i int)"); err != nil {
		t.Fatal(err)
	}
	r := s.rel("t")
	if len(r.Indexes) != 2 || len(r.Checks) != 1 || len(r.Defaults) != 2 || r.Checks[0].Name != "t_b_check" {
		t.Errorf("%+v", r)
	}
	if seq := s.rel("t_a_seq"); seq == nil || seq.Sequence.Max != 1<<31-1 {
		t.Errorf("%+v", seq)
	}
	s.rollback()
	s.begin()
	if s.rel("t") != nil || s.rel("t_a_seq") != nil {
		t.Error("there after rollback")
	}
	s.rollback()
	s.must("create table t (a serial primary key)")
	s.must("drop table t")
	s.begin()
	if s.rel("t_a_seq") != nil {
		t.Error("an owned sequence outlives its table")
	}
	s.rollback()
}

func TestErrors(t *testing.T) {
	s := newSession(t)
	s.must("create table t (a int primary key, b text)")
	s.fails("create table t (x int)", `relation "t" already exists`)
	s.fails("create table u (x int, x text)", `column "x" specified more than once`)
	s.fails("create table u (x nosuch)", `type "nosuch" does not exist`)
	s.fails("create index on t (nosuch)", `column "nosuch" does not exist`)
	s.fails("alter table t add primary key (b)", `multiple primary keys for table "t" are not allowed`)
	s.fails("alter table t add column a int", `column "a" of relation "t" already exists`)
	s.fails("alter table t drop column nosuch", `column "nosuch" of relation "t" does not exist`)
	s.fails("drop table nosuch", `table "nosuch" does not exist`)
	s.fails("drop view t", `"t" is not a view`)
	s.fails("create table u (a int references nosuch)", `relation "nosuch" does not exist`)
	s.fails("create table u (a text references t)", `foreign key constraint "u_a_fkey" cannot be implemented`)
	s.fails("create table u (a int default 'x')", `invalid input syntax for type integer: "x"`)
	s.fails("create table u (a int default a)", `cannot use column reference in DEFAULT expression`)
	s.fails("create table u (a int) with (fillfactor=5)", `value 5 out of bounds for option "fillfactor"`)
	s.fails("drop role nosuch", `role "nosuch" does not exist`)
	s.fails("create database postgres", `database "postgres" already exists`)
}

func TestAlter(t *testing.T) {
	s := newSession(t)
	s.must("create table t (a int, b int)")
	s.begin()
	for i := range 10 {
		s.insert("t", types.Row{types.Int4(int32(i)), types.Int4(7)})
	}
	if err := s.commit(); err != nil {
		t.Fatal(err)
	}
	s.must("alter table t add column c int default 5, add column d serial, alter column a set not null, drop column b; create index on t (c)")
	s.must("alter table t alter column a type bigint; alter table t rename column c to cc; alter table t rename to tt")
	s.begin()
	r := s.rel("tt")
	if a := r.AttrByName("a"); a.TypeOID != types.Int8OID || !a.NotNull || r.AttrByName("cc") == nil || r.AttrByName("b") != nil {
		t.Errorf("%+v", r.Desc)
	}
	if err := s.commit(); err != nil {
		t.Fatal(err)
	}
	s.must("create role r login password 'x'; alter role r set work_mem = '1MB'; drop role r; create database d; drop database d; create temp table tmp (a int) on commit drop")
}
