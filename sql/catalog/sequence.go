package catalog

import (
	"encoding/binary"
	"sync"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/storage/pagestore"
)

// A sequence's state is a small key, named by the relation's storage: what makes it new in a transaction (CREATE, RESTART, TRUNCATE ... RESTART
// IDENTITY) gives it new storage, and so is undone by rollback; nextval and setval are not. The stored value is up to seqLogAhead values ahead
// of memory, so that most calls write nothing: a crash skips values, a clean stop does not.

const seqLogAhead = 32

// SequenceState is what a sequence says of itself when it is read as a table.
type SequenceState struct {
	Last   int64
	Logged int64 // fetches until the next write
	Called bool
}

// sequence is a sequence's state in memory.
type sequence struct {
	mu sync.Mutex
	SequenceState
	stored SequenceState
}

type sequences struct {
	store *pagestore.Store
	mu    sync.Mutex
	byID  map[pagestore.RelID]*sequence
}

func (q *sequences) init(s *pagestore.Store) { q.store, q.byID = s, map[pagestore.RelID]*sequence{} }

func (q *sequences) forgetDB(db uint32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id := range q.byID {
		if id.DB == db {
			delete(q.byID, id)
		}
	}
}

func sequencePrefix(db OID) []byte {
	return binary.BigEndian.AppendUint32([]byte("catalog/seq/"), uint32(db))
}

func sequenceKey(id pagestore.RelID) []byte {
	k := sequencePrefix(OID(id.DB))
	return binary.BigEndian.AppendUint32(k, id.Rel)
}

func (s SequenceState) encode() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(s.Last))
	if s.Called {
		return append(b, 1)
	}
	return append(b, 0)
}

// get gives a sequence's state, read at its first use.
func (q *sequences) get(id pagestore.RelID) (*sequence, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.byID[id]; s != nil {
		return s, nil
	}
	b, ok, err := q.store.Get(nil, sequenceKey(id))
	if err != nil {
		return nil, err
	}
	if !ok || len(b) != 9 {
		return nil, pgerr.New(pgerr.DataCorrupted, "sequence %s has no stored state", id)
	}
	s := &sequence{}
	s.Last, s.Called = int64(binary.LittleEndian.Uint64(b)), b[8] != 0
	s.stored = s.SequenceState
	q.byID[id] = s
	return s, nil
}

// write stores st as the sequence's state. The caller holds s.mu.
func (q *sequences) write(id pagestore.RelID, s *sequence, st SequenceState) {
	c := q.store.NewChange()
	c.Set(sequenceKey(id), st.encode())
	q.store.Apply(c)
	c.Release()
	s.stored = st
}

// close stores all states exactly.
func (q *sequences) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, s := range q.byID {
		s.mu.Lock()
		if s.stored.Last != s.Last || s.stored.Called != s.Called {
			q.write(id, s, s.SequenceState)
		}
		s.mu.Unlock()
	}
}

func (q *sequences) forget(id pagestore.RelID) {
	q.mu.Lock()
	delete(q.byID, id)
	q.mu.Unlock()
}

// CreateSequenceState makes the state of a sequence with new storage.
func (v *View) CreateSequenceState(id pagestore.RelID, start int64, called bool) {
	st := SequenceState{Last: start, Called: called}
	q := &v.cluster.sequences
	c := q.store.NewChange()
	c.Set(sequenceKey(id), st.encode())
	q.store.Apply(c)
	c.Release()
	v.sess.Tx.OnAbort(func() {
		q.forget(id)
		c := q.store.NewChange()
		c.Delete(sequenceKey(id))
		q.store.Apply(c)
		c.Release()
	})
}

// ReadSequence gives a sequence's present state.
func (v *View) ReadSequence(rel *Relation) (SequenceState, error) {
	s, err := v.cluster.sequences.get(rel.Storage)
	if err != nil {
		return SequenceState{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.SequenceState, nil
}

// sessionSequences are what a session remembers: values of nextval, and values fetched ahead (CACHE).
type sessionSequences struct {
	byOID   map[OID]*sessionSequence
	lastOID OID // of lastval
}

type sessionSequence struct {
	node    uint32 // the storage that the values are of
	has     bool
	last    int64
	cached  int64 // values up to this one may be given without asking
	step    int64
	hasMore bool
}

func (v *View) sessionSequence(rel *Relation) *sessionSequence {
	if v.seqs.byOID == nil {
		v.seqs.byOID = map[OID]*sessionSequence{}
	}
	s := v.seqs.byOID[rel.OID]
	if s == nil {
		s = &sessionSequence{}
		v.seqs.byOID[rel.OID] = s
	}
	if s.node != rel.Storage.Rel { // RESTART: values fetched ahead are void, currval stays
		s.node, s.hasMore = rel.Storage.Rel, false
	}
	return s
}

// NextVal is nextval().
func (v *View) NextVal(rel *Relation) (int64, error) {
	mine := v.sessionSequence(rel)
	v.seqs.lastOID = rel.OID
	if mine.hasMore && mine.last != mine.cached {
		mine.last += mine.step
		return mine.last, nil
	}
	s, err := v.cluster.sequences.get(rel.Storage)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first, last, count, err := s.fetch(rel)
	if err != nil {
		return 0, err
	}
	if err := v.logSequence(rel, s, last, count); err != nil {
		return 0, err
	}
	s.Last, s.Called = last, true
	mine.has, mine.last, mine.cached, mine.step, mine.hasMore = true, first, last, rel.Sequence.Increment, true
	return first, nil
}

// fetch computes the next values, as many as the sequence's CACHE (fewer at the end of the range): the first, the last, and how many.
func (s *sequence) fetch(rel *Relation) (first, last, count int64, err error) {
	def := rel.Sequence
	first = s.Last
	if s.Called {
		var ok bool
		if first, ok = def.after(s.Last); !ok {
			if !def.Cycle {
				return 0, 0, 0, sequenceEnd(rel)
			}
			first = def.restart()
		}
	}
	last, count = def.ahead(first, max(def.Cache, 1)-1)
	return first, last, count + 1, nil
}

// ahead goes up to n steps on from a value, and says how many there were.
func (d *SequenceDef) ahead(from, n int64) (last, count int64) {
	for count < n {
		next, ok := d.after(from)
		if !ok {
			break
		}
		from = next
		count++
	}
	return from, count
}

// after gives the value behind from, and whether there is one.
func (d *SequenceDef) after(from int64) (int64, bool) {
	if d.Increment > 0 {
		if d.Max >= 0 && from > d.Max-d.Increment || d.Max < 0 && from+d.Increment > d.Max {
			return 0, false
		}
	} else if d.Min < 0 && from < d.Min-d.Increment || d.Min >= 0 && from+d.Increment < d.Min {
		return 0, false
	}
	return from + d.Increment, true
}

// restart is where a cycle begins again.
func (d *SequenceDef) restart() int64 {
	if d.Increment > 0 {
		return d.Min
	}
	return d.Max
}

func sequenceEnd(rel *Relation) error {
	if rel.Sequence.Increment > 0 {
		return pgerr.New(pgerr.SequenceGeneratorLimitExceeded, "nextval: reached maximum value of sequence \"%s\" (%d)", rel.Name, rel.Sequence.Max)
	}
	return pgerr.New(pgerr.SequenceGeneratorLimitExceeded, "nextval: reached minimum value of sequence \"%s\" (%d)", rel.Name, rel.Sequence.Min)
}

// logSequence makes sure that the stored state is not behind the count values up to last that are about to be given out. The transaction gets
// an id then, so that its commit waits for the log. The caller holds s.mu.
func (v *View) logSequence(rel *Relation, s *sequence, last, count int64) error {
	if s.Called && s.Logged >= count {
		s.Logged -= count
		return nil
	}
	if _, err := v.sess.Tx.XID(); err != nil {
		return err
	}
	ahead, _ := rel.Sequence.ahead(last, seqLogAhead)
	v.cluster.sequences.write(rel.Storage, s, SequenceState{Last: ahead, Called: true})
	s.Logged = seqLogAhead
	return nil
}

// SetVal is setval(): not undone by rollback.
func (v *View) SetVal(rel *Relation, value int64, called bool) error {
	def := rel.Sequence
	if value < def.Min || value > def.Max {
		return pgerr.New(pgerr.NumericValueOutOfRange, "setval: value %d is out of bounds for sequence \"%s\" (%d..%d)", value, rel.Name, def.Min, def.Max)
	}
	s, err := v.cluster.sequences.get(rel.Storage)
	if err != nil {
		return err
	}
	if _, err := v.sess.Tx.XID(); err != nil {
		return err
	}
	mine := v.sessionSequence(rel)
	mine.hasMore = false
	if called {
		mine.has, mine.last = true, value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.SequenceState = SequenceState{Last: value, Called: called}
	v.cluster.sequences.write(rel.Storage, s, s.SequenceState)
	return nil
}

// CurrVal is currval().
func (v *View) CurrVal(rel *Relation) (int64, error) {
	mine := v.sessionSequence(rel)
	if !mine.has {
		return 0, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "currval of sequence \"%s\" is not yet defined in this session", rel.Name)
	}
	return mine.last, nil
}

// LastVal is lastval().
func (v *View) LastVal() (int64, error) {
	undefined := pgerr.New(pgerr.ObjectNotInPrerequisiteState, "lastval is not yet defined in this session")
	if v.seqs.lastOID == 0 {
		return 0, undefined
	}
	rel, err := v.Relation(v.seqs.lastOID)
	if err != nil {
		return 0, err
	}
	if rel == nil {
		return 0, undefined
	}
	if err := v.requireSequence(rel, query.AclSelect|query.AclUsage); err != nil {
		return 0, err
	}
	return v.CurrVal(rel)
}

// DiscardSequences is DISCARD SEQUENCES.
func (v *View) DiscardSequences() { v.seqs = sessionSequences{} }

// DropSequenceState removes a sequence's state at commit.
func (v *View) DropSequenceState(id pagestore.RelID) {
	q := &v.cluster.sequences
	v.sess.Tx.OnCommitWrite(func(c *pagestore.Change) { c.Delete(sequenceKey(id)) })
	v.sess.Tx.OnCommit(func() { q.forget(id) })
}
