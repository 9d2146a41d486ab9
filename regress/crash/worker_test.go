package crash

import (
	"context"
	"fmt"
	"math/rand"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5"
)

// item is a row of kv.
type item struct {
	val, grp int
	pad      pad
}

// pad is a text of n letters c: easy to keep in a model, and some are wide enough to be stored out of line.
type pad struct {
	c byte
	n int
}

func (p pad) String() string { return strings.Repeat(string(p.c), p.n) }

// effects are what a transaction changes.
type effects struct {
	items   map[int]*item // nil = deleted
	history map[int]int   // id to account*1000000 + delta + 500000
	tables  map[string]int
}

func newEffects() effects {
	return effects{items: map[int]*item{}, history: map[int]int{}, tables: map[string]int{}}
}

// dropped is the row count of a table that is not there.
const dropped = -1

// worker is one client. It alone writes the items, the history ids and the tables of its number, so its model is exact.
type worker struct {
	n    int
	rng  *rand.Rand
	conn *pgx.Conn

	items   map[int]item
	history map[int]int
	tables  map[string]int
	next    int // numbers what it makes

	// maybe is the transaction whose COMMIT was not answered.
	maybe   *effects
	commits int
	err     error // other than the end of the connection
}

const (
	workers  = 6
	accounts = 10
	groups   = 7
)

func newWorker(n int) *worker {
	return &worker{n: n, items: map[int]item{}, history: map[int]int{}, tables: map[string]int{}}
}

// tx is a transaction in progress.
type tx struct {
	w   *worker
	ctx context.Context
	eff effects
	err error
}

func (t *tx) exec(sql string, args ...any) {
	if t.err == nil {
		_, t.err = t.w.conn.Exec(t.ctx, sql, args...)
	}
}

func (w *worker) id() int {
	w.next++
	return w.next*workers + w.n
}

// get is an item as the transaction sees it.
func (t *tx) get(id int) (item, bool) {
	if it, ok := t.eff.items[id]; ok {
		if it == nil {
			return item{}, false
		}
		return *it, true
	}
	it, ok := t.w.items[id]
	return it, ok
}

// pick chooses an item that is there.
func (t *tx) pick() (id int, it item, ok bool) {
	if len(t.w.items) == 0 {
		return 0, it, false
	}
	ids := make([]int, 0, len(t.w.items))
	for id := range t.w.items {
		ids = append(ids, id)
	}
	sort.Ints(ids)
	id = ids[t.w.rng.Intn(len(ids))]
	it, ok = t.get(id)
	return id, it, ok
}

func (w *worker) newItem() item {
	n := w.rng.Intn(100)
	switch w.rng.Intn(30) {
	case 0:
		n = 3000 + w.rng.Intn(40000)
	case 1:
		n = 500 + w.rng.Intn(3000)
	}
	return item{val: w.rng.Intn(1 << 30), grp: w.rng.Intn(groups), pad: pad{byte('a' + w.rng.Intn(26)), n}}
}

// run works until the connection ends.
func (w *worker) run(ctx context.Context) {
	for w.err == nil {
		t := &tx{w: w, ctx: ctx, eff: newEffects()}
		if !w.transaction(t) {
			return
		}
	}
}

// transaction runs one. It gives false when the connection has ended.
func (w *worker) transaction(t *tx) bool {
	single := w.rng.Intn(4) == 0
	if !single {
		t.exec("begin")
	}
	steps := 1
	if !single {
		steps += w.rng.Intn(5)
	}
	for range steps {
		t.step(single)
	}
	if t.err != nil {
		// A single statement that was not answered may have committed.
		if single {
			w.maybe = &t.eff
		}
		return w.failed(t.err)
	}
	switch {
	case single:
	case w.rng.Intn(6) == 0:
		t.exec("rollback")
		if t.err != nil {
			return w.failed(t.err)
		}
		return true
	default:
		t.exec("commit")
		if t.err != nil {
			w.maybe = &t.eff
			return w.failed(t.err)
		}
	}
	w.apply(t.eff)
	w.commits++
	return true
}

// failed ends the worker. Only the connection's end is expected.
func (w *worker) failed(err error) bool {
	if !w.conn.IsClosed() {
		w.err = fmt.Errorf("client %d: %w", w.n, err)
	}
	return false
}

func (w *worker) apply(e effects) {
	for id, it := range e.items {
		if it == nil {
			delete(w.items, id)
		} else {
			w.items[id] = *it
		}
	}
	for id, h := range e.history {
		w.history[id] = h
	}
	for name, n := range e.tables {
		if n == dropped {
			delete(w.tables, name)
		} else {
			w.tables[name] = n
		}
	}
}

// step does one thing. A single statement is a transaction of its own.
func (t *tx) step(single bool) {
	switch n := t.w.rng.Intn(100); {
	case n < 25:
		t.insert()
	case n < 45:
		t.update()
	case n < 55:
		t.delete()
	case n < 60:
		t.copy()
	case n < 85 && !single:
		t.move()
	case n < 93 && !single:
		t.savepoint()
	case n < 97 && !single:
		t.table()
	default:
		t.insert()
	}
}

func (t *tx) insert() {
	id, it := t.w.id(), t.w.newItem()
	t.eff.items[id] = &it
	t.exec("insert into kv (id, val, grp, pad) values ($1, $2, $3, $4)", id, it.val, it.grp, it.pad.String())
}

func (t *tx) update() {
	id, it, ok := t.pick()
	if !ok {
		return
	}
	next := it
	next.val = t.w.rng.Intn(1 << 30)
	sql, args := "update kv set val = $2 where id = $1", []any{id, next.val}
	switch t.w.rng.Intn(3) {
	case 0: // an indexed column
		next.grp = t.w.rng.Intn(groups)
		sql, args = "update kv set val = $2, grp = $3 where id = $1", append(args, next.grp)
	case 1:
		next.pad = t.w.newItem().pad
		sql, args = "update kv set val = $2, pad = $3 where id = $1", append(args, next.pad.String())
	}
	t.eff.items[id] = &next
	t.exec(sql, args...)
}

func (t *tx) delete() {
	id, _, ok := t.pick()
	if !ok {
		return
	}
	t.eff.items[id] = nil
	t.exec("delete from kv where id = $1", id)
}

func (t *tx) copy() {
	if t.err != nil {
		return
	}
	var b strings.Builder
	for range 1 + t.w.rng.Intn(60) {
		id, it := t.w.id(), t.w.newItem()
		t.eff.items[id] = &it
		fmt.Fprintf(&b, "%d\t%d\t%d\t%s\n", id, it.val, it.grp, it.pad)
	}
	_, t.err = t.w.conn.PgConn().CopyFrom(t.ctx, strings.NewReader(b.String()), "copy kv (id, val, grp, pad) from stdin")
}

// move changes two accounts, in order lest clients wait for each other, and writes history.
func (t *tx) move() {
	if len(t.eff.history) > 0 {
		return // a second one could wait against the order
	}
	a, b := t.w.rng.Intn(accounts), t.w.rng.Intn(accounts)
	if a > b {
		a, b = b, a
	}
	delta := t.w.rng.Intn(1000)
	for _, m := range []struct{ account, delta int }{{a, -delta}, {b, delta}} {
		id := t.w.id()
		t.eff.history[id] = m.account*1000000 + m.delta + 500000
		t.exec("update accounts set balance = balance + $2 where aid = $1", m.account, m.delta)
		t.exec("insert into history (hid, aid, delta) values ($1, $2, $3)", id, m.account, m.delta)
	}
}

// savepoint does things and takes them back, or keeps them.
func (t *tx) savepoint() {
	t.exec("savepoint s")
	before := newEffects()
	for id, it := range t.eff.items {
		before.items[id] = it
	}
	for range 1 + t.w.rng.Intn(3) {
		switch t.w.rng.Intn(3) {
		case 0:
			t.insert()
		case 1:
			t.update()
		default:
			t.delete()
		}
	}
	if t.w.rng.Intn(2) == 0 {
		t.exec("rollback to savepoint s")
		t.eff.items = before.items
	} else {
		t.exec("release savepoint s")
	}
}

// table makes a table with rows, empties one, or drops one.
func (t *tx) table() {
	names := make([]string, 0, len(t.w.tables))
	for name := range t.w.tables {
		if _, touched := t.eff.tables[name]; !touched {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	if len(names) > 0 && (len(names) > 5 || t.w.rng.Intn(2) == 0) {
		name := names[t.w.rng.Intn(len(names))]
		if t.w.rng.Intn(3) == 0 {
			t.eff.tables[name] = 0
			t.exec("truncate " + name)
		} else {
			t.eff.tables[name] = dropped
			t.exec("drop table " + name)
		}
		return
	}
	name := fmt.Sprintf("t%d_%d", t.w.n, t.w.id())
	n := t.w.rng.Intn(300)
	t.eff.tables[name] = n
	t.exec("create table " + name + " (id int primary key, note text)")
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, 'row %d')", i, i)
	}
	if n > 0 {
		t.exec("insert into " + name + " values " + strings.Join(values, ", "))
	}
}
