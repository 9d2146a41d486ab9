package heap

import (
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// The model test runs transactions of several sessions, one step at a time, beside a model that knows nothing of versions: a map of what is
// committed, and for each transaction a stack of maps of what it changed. Nobody waits: a change that meets another transaction has to answer
// BeingModified. An index is kept as a list of places by id, filled as an executor would and emptied by vacuum, so that HOT chains, dead line
// pointers and reuse are exercised.

// value is a row's contents; version tells apart two states that look alike.
type value struct {
	val     int
	note    string
	version int
}

type overlay map[int]*value // nil = deleted

type modelTx struct {
	s      *session
	base   map[int]value // REPEATABLE READ: what was committed when it began; nil = what is committed now
	levels []overlay
	locks  []map[int]Result // rows changed at each level: Updated or Deleted, by the first change
}

type model struct {
	t         *testing.T
	f         *fixture
	r         *Relation
	rng       *rand.Rand
	committed map[int]value
	txs       []*modelTx
	owner     map[int]*modelTx // who has changed a row
	fate      map[int]Result   // what became of a committed version
	index     map[int][]types.TID
	version   int
	nextID    int
	log       []string
}

func newModel(t *testing.T, f *fixture, r *Relation, seed int64, sessions int) *model {
	m := &model{t: t, f: f, r: r, rng: rand.New(rand.NewSource(seed)), committed: map[int]value{}, owner: map[int]*modelTx{}, fate: map[int]Result{}, index: map[int][]types.TID{}}
	for range sessions {
		m.txs = append(m.txs, &modelTx{s: f.session()})
	}
	return m
}

func (m *model) logf(format string, a ...any) {
	m.log = append(m.log, fmt.Sprintf(format, a...))
	if len(m.log) > 60 {
		m.log = m.log[1:]
	}
}

func (m *model) fatalf(format string, a ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\nlast steps:\n%s", fmt.Sprintf(format, a...), strings.Join(m.log, "\n"))
}

// visible is what tx should see.
func (m *model) visible(tx *modelTx) map[int]value {
	base := m.committed
	if tx.base != nil {
		base = tx.base
	}
	out := maps.Clone(base)
	for _, l := range tx.levels {
		for id, v := range l {
			if v == nil {
				delete(out, id)
			} else {
				out[id] = *v
			}
		}
	}
	return out
}

func (m *model) step() {
	tx := m.txs[m.rng.Intn(len(m.txs))]
	if tx.levels == nil {
		m.begin(tx)
		return
	}
	switch n := m.rng.Intn(100); {
	case n < 20:
		m.insert(tx)
	case n < 22:
		m.insertMany(tx)
	case n < 55:
		m.update(tx)
	case n < 65:
		m.delete(tx)
	case n < 73:
		m.check(tx)
	case n < 78:
		m.lookup(tx)
	case n < 82:
		m.savepoint(tx)
	case n < 87:
		m.endSub(tx, m.rng.Intn(2) == 0)
	case n < 97:
		m.commit(tx)
	case n < 99:
		m.abort(tx)
	default:
		m.vacuum()
	}
}

func (m *model) begin(tx *modelTx) {
	iso := xact.ReadCommitted
	tx.base = nil
	if m.rng.Intn(3) == 0 {
		iso = xact.RepeatableRead
		tx.base = maps.Clone(m.committed)
	}
	tx.s.begin(iso)
	tx.s.Tx.AsyncCommit = false
	if iso == xact.RepeatableRead {
		tx.s.Tx.TakeSnapshot(new(xact.Snapshot))
	}
	tx.levels, tx.locks = []overlay{{}}, []map[int]Result{{}}
	m.logf("%d begins %v", tx.s.proc.ID(), iso)
}

func (m *model) note() string {
	switch m.rng.Intn(20) {
	case 0:
		return strings.Repeat("w", 2500+m.rng.Intn(20000))
	case 1:
		return strings.Repeat("m", 200+m.rng.Intn(1500))
	}
	return strings.Repeat("n", m.rng.Intn(60))
}

func (m *model) newValue() value {
	m.version++
	return value{val: m.version, note: m.note(), version: m.version}
}

func (m *model) record(tx *modelTx, id int, v *value) {
	tx.levels[len(tx.levels)-1][id] = v
	if m.owner[id] != tx {
		m.owner[id] = tx
		tx.locks[len(tx.locks)-1][id] = Updated
		if v == nil {
			tx.locks[len(tx.locks)-1][id] = Deleted
		}
	}
}

func (m *model) insert(tx *modelTx) {
	m.nextID++
	id, v := m.nextID, m.newValue()
	tid := tx.s.insert(m.r, id, v.val, v.note)
	tx.s.cci()
	m.index[id] = append(m.index[id], tid)
	m.record(tx, id, &v)
	m.logf("%d inserts %d at %v", tx.s.proc.ID(), id, tid)
}

// insertMany is COPY.
func (m *model) insertMany(tx *modelTx) {
	rows := make([]types.Row, 1+m.rng.Intn(40))
	tids := make([]types.TID, len(rows))
	first := m.nextID + 1
	for i := range rows {
		m.nextID++
		v := m.newValue()
		rows[i] = row(m.nextID, v.val, v.note)
		m.record(tx, m.nextID, &v)
	}
	if err := m.r.MultiInsert(tx.s.Session, rows, tids, InsertOpts{}); err != nil {
		m.fatalf("%v", err)
	}
	tx.s.cci()
	for i, tid := range tids {
		m.index[first+i] = append(m.index[first+i], tid)
	}
	m.logf("%d inserts %d to %d", tx.s.proc.ID(), first, m.nextID)
}

// pick chooses a row that tx sees, and gives its place.
func (m *model) pick(tx *modelTx, snap *Snapshot) (id int, old value, tid types.TID, ok bool) {
	see := m.visible(tx)
	if len(see) == 0 {
		return 0, old, tid, false
	}
	ids := slices.Sorted(maps.Keys(see))
	id = ids[m.rng.Intn(len(ids))]
	tid, found := m.find(tx, id, snap)
	if !found {
		m.fatalf("session %d does not find row %d by its index", tx.s.proc.ID(), id)
	}
	return id, see[id], tid, true
}

// find looks a row up as an index scan does.
func (m *model) find(tx *modelTx, id int, snap *Snapshot) (tid types.TID, found bool) {
	var slot Slot
	slot.Init(m.r)
	for _, root := range m.index[id] {
		ok, _, err := m.r.FetchHOT(tx.s.Session, root, snap, &slot)
		if err != nil {
			m.fatalf("%v", err)
		}
		if !ok {
			continue
		}
		if err := slot.Deform(1); err != nil {
			m.fatalf("%v", err)
		}
		if got := slot.Row[0].Int4(); int(got) != id {
			m.fatalf("the index entry %v of row %d points at row %d", root, id, got)
		}
		if found && tid != slot.TID {
			m.fatalf("session %d sees two versions of row %d: %v and %v", tx.s.proc.ID(), id, tid, slot.TID)
		}
		tid, found = slot.TID, true
	}
	slot.Clear()
	return tid, found
}

// expect is what a change of the row has to answer. An old version knows what became of it first, not what became of the row since.
func (m *model) expect(tx *modelTx, id int, old value) Result {
	o := m.owner[id]
	if o == tx {
		return OK
	}
	if fate, ok := m.fate[old.version]; ok {
		return fate
	}
	if o != nil {
		return BeingModified
	}
	return OK
}

func (m *model) update(tx *modelTx) {
	snap := tx.s.snapshot()
	defer tx.s.Tx.ReleaseSnapshot(&snap.Snapshot)
	id, old, tid, ok := m.pick(tx, snap)
	if !ok {
		return
	}
	v := m.newValue()
	var changed AttrSet
	changed.Add(2)
	if keep := m.rng.Intn(2) == 0; keep {
		v.note = old.note
	} else {
		changed.Add(3)
	}
	res, err := m.r.Update(tx.s.Session, tid, row(id, v.val, v.note), UpdateOpts{Changed: &changed})
	if err != nil {
		m.fatalf("%v", err)
	}
	m.logf("%d updates %d at %v: %v to %v hot %v", tx.s.proc.ID(), id, tid, res.Result, res.TID, res.HOT)
	if want := m.expect(tx, id, old); res.Result != want {
		m.fatalf("update of %d answers %v, want %v", id, res.Result, want)
	}
	if res.Result != OK {
		return
	}
	tx.s.cci()
	if !res.HOT {
		m.index[id] = append(m.index[id], res.TID)
	}
	m.record(tx, id, &v)
}

func (m *model) delete(tx *modelTx) {
	snap := tx.s.snapshot()
	defer tx.s.Tx.ReleaseSnapshot(&snap.Snapshot)
	id, old, tid, ok := m.pick(tx, snap)
	if !ok {
		return
	}
	res, _, err := m.r.Delete(tx.s.Session, tid, DeleteOpts{})
	if err != nil {
		m.fatalf("%v", err)
	}
	m.logf("%d deletes %d at %v: %v", tx.s.proc.ID(), id, tid, res)
	if want := m.expect(tx, id, old); res != want {
		m.fatalf("delete of %d answers %v, want %v", id, res, want)
	}
	if res == OK {
		tx.s.cci()
		m.record(tx, id, nil)
	}
}

func describe(see map[int]value) []string {
	var out []string
	for id, v := range see {
		out = append(out, fmt.Sprintf("%d=%d %s", id, v.val, v.note))
	}
	slices.Sort(out)
	return out
}

func (m *model) check(tx *modelTx) {
	snap := tx.s.snapshot()
	got := tx.s.rows(m.r, snap)
	tx.s.Tx.ReleaseSnapshot(&snap.Snapshot)
	slices.Sort(got)
	if want := describe(m.visible(tx)); !slices.Equal(got, want) {
		m.fatalf("session %d sees %d rows, want %d%s", tx.s.proc.ID(), len(got), len(want), firstDiff(got, want))
	}
}

func firstDiff(got, want []string) string {
	for i := range max(len(got), len(want)) {
		g, w := "-", "-"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return fmt.Sprintf(": first difference %.40q, want %.40q", g, w)
		}
	}
	return ""
}

// lookup asks the index for every row.
func (m *model) lookup(tx *modelTx) {
	snap := tx.s.snapshot()
	defer tx.s.Tx.ReleaseSnapshot(&snap.Snapshot)
	see := m.visible(tx)
	for id := range m.index {
		_, want := see[id]
		if _, found := m.find(tx, id, snap); found != want {
			m.fatalf("session %d finds row %d by index: %v, want %v", tx.s.proc.ID(), id, found, want)
		}
	}
}

func (m *model) savepoint(tx *modelTx) {
	if len(tx.levels) > 4 {
		return
	}
	tx.s.savepoint()
	tx.levels, tx.locks = append(tx.levels, overlay{}), append(tx.locks, map[int]Result{})
	m.logf("%d savepoint", tx.s.proc.ID())
}

func (m *model) endSub(tx *modelTx, keep bool) {
	n := len(tx.levels) - 1
	if n == 0 {
		return
	}
	m.logf("%d ends savepoint, keeps %v", tx.s.proc.ID(), keep)
	if keep {
		tx.s.release()
		maps.Copy(tx.levels[n-1], tx.levels[n])
		for id, how := range tx.locks[n] {
			tx.locks[n-1][id] = how
		}
	} else {
		tx.s.rollbackTo()
		for id := range tx.locks[n] {
			delete(m.owner, id)
		}
	}
	tx.levels, tx.locks = tx.levels[:n], tx.locks[:n]
}

func (m *model) unlock(tx *modelTx) {
	for id, o := range m.owner {
		if o == tx {
			delete(m.owner, id)
		}
	}
	tx.levels, tx.locks = nil, nil
}

func (m *model) commit(tx *modelTx) {
	for len(tx.levels) > 1 {
		m.endSub(tx, true)
	}
	m.logf("%d commits", tx.s.proc.ID())
	tx.s.commit()
	for id, how := range tx.locks[0] {
		if old, ok := m.committed[id]; ok {
			m.fate[old.version] = how
		}
	}
	for id, v := range tx.levels[0] {
		if v == nil {
			delete(m.committed, id)
		} else {
			m.committed[id] = *v
		}
	}
	m.unlock(tx)
}

func (m *model) abort(tx *modelTx) {
	m.logf("%d aborts", tx.s.proc.ID())
	for len(tx.levels) > 1 {
		m.endSub(tx, false)
	}
	tx.s.abort()
	m.unlock(tx)
}

// indexOf is the model's index for vacuum.
type indexOf struct{ m *model }

func (x indexOf) BulkDelete(dead func(types.TID) bool) error {
	for id, tids := range x.m.index {
		if tids = slices.DeleteFunc(tids, dead); len(tids) == 0 {
			delete(x.m.index, id)
		} else {
			x.m.index[id] = tids
		}
	}
	return nil
}

func (x indexOf) Cleanup(float64) error { return nil }

func (m *model) vacuum() {
	s := m.f.session()
	s.begin(xact.ReadCommitted)
	st, err := m.r.Vacuum(s.Session, VacuumOptions{Indexes: []IndexCleaner{indexOf{m}}, FreezeBefore: m.f.xm.Horizon() - 1,
		All: m.rng.Intn(2) == 0, LockToTruncate: func() (func(), bool) { return func() {}, true }})
	if err != nil {
		m.fatalf("vacuum: %v", err)
	}
	s.abort()
	s.proc.Close()
	s.ls.Close()
	m.logf("vacuum: %+v", st)
	if err := m.r.Check(5); err != nil {
		m.fatalf("after vacuum: %v", err)
	}
}

func (m *model) finish() {
	for _, tx := range m.txs {
		if tx.levels != nil {
			m.check(tx)
			m.lookup(tx)
			m.abort(tx)
		}
	}
	m.vacuum()
	got := m.f.see(m.r)
	slices.Sort(got)
	if want := describe(m.committed); !slices.Equal(got, want) {
		m.fatalf("at the end %d rows, want %d%s", len(got), len(want), firstDiff(got, want))
	}
}

func TestModel(t *testing.T) {
	for seed := range int64(*modelSeeds) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			f := testFixture(t)
			m := newModel(t, f, f.open(1), seed, 4)
			for range sized(2500, 800) {
				m.step()
			}
			m.finish()
		})
	}
}

var modelSeeds = flag.Int("model-seeds", 6, "how many runs TestModel makes")

// TestModelAfterCrash cuts the power between steps. Every commit waited for the log, so what is there afterwards is exactly what was committed.
func TestModelAfterCrash(t *testing.T) {
	for seed := range int64(4) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			f := newFixture(t, fs, 256)
			m := newModel(t, f, f.open(1), 100+seed, 4)
			rng := rand.New(rand.NewSource(seed))
			for i := range sized(1200, 450) {
				m.step()
				if i%150 == 149 {
					clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.Intn(101), RNG: randV2(seed + int64(i))})
					m.afterCrash(clone)
				}
			}
			m.finish()
			f.close()
		})
	}
}

func (m *model) afterCrash(fs vfs.FS) {
	m.t.Helper()
	f := newFixture(m.t, fs, 64)
	defer f.close()
	r := f.open(1)
	if err := r.Check(5); err != nil {
		m.fatalf("after the crash: %v", err)
	}
	got := f.see(r)
	slices.Sort(got)
	if want := describe(m.committed); !slices.Equal(got, want) {
		m.fatalf("after the crash %d rows, want %d%s", len(got), len(want), firstDiff(got, want))
	}
	// The index loses nothing that is committed: entries are made after their rows, before the commit.
	s := f.session()
	s.begin(xact.ReadCommitted)
	after := &model{t: m.t, f: f, r: r, rng: m.rng, committed: m.committed, index: m.index, log: m.log}
	after.lookup(&modelTx{s: s})
	s.abort()
	st, err := r.Vacuum(s.Session, VacuumOptions{All: true})
	if err != nil {
		m.fatalf("vacuum after the crash: %v, %+v", err, st)
	}
}
