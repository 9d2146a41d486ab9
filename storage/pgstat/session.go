package pgstat

// Session is one session's account. It belongs to the session's goroutine.
type Session struct {
	c       *Collector
	db      OID
	tables  map[OID]*Table
	last    *Table // found last by OID
	touched []*Table
	level   int // of open subtransactions
	off     bool
	delta   DatabaseDelta
	changed bool // delta has something
	drops   []key
	cache   map[key]Relation
	dbCache map[OID]Database
}

// NewSession opens an account of a database.
func (c *Collector) NewSession(db OID) *Session {
	return &Session{c: c, db: db, tables: map[OID]*Table{}}
}

// SetEnabled is track_counts.
func (s *Session) SetEnabled(on bool) {
	if s != nil {
		s.off = !on
	}
}

// Collector is what the session flushes to; nil for a nil session.
func (s *Session) Collector() *Collector {
	if s == nil {
		return nil
	}
	return s.c
}

// Table is one session's counts of a relation since its last flush.
type Table struct {
	s       *Session
	key     key
	touched bool
	counts  Counts

	// Settled by the ends of transactions.
	live, dead, changed int64
	truncated           bool

	xacts []xactCounts // open subtransactions that wrote, the outermost first
}

// xactCounts is what one subtransaction did so far.
type xactCounts struct {
	level                               int
	inserted, updated, deleted          int64
	truncated                           bool
	insertedPre, updatedPre, deletedPre int64 // before the truncation
}

// Table gives the account of a relation; shared: it belongs to all databases.
func (s *Session) Table(rel OID, shared bool) *Table {
	if s == nil {
		return nil
	}
	if t := s.last; t != nil && t.key.rel == rel {
		return t
	}
	t := s.tables[rel]
	if t == nil {
		db := s.db
		if shared {
			db = 0
		}
		t = &Table{s: s, key: key{db, rel}}
		s.tables[rel] = t
	}
	s.last = t
	return t
}

// touch makes the next flush look at the table.
func (t *Table) touch() {
	if !t.touched {
		t.touched = true
		t.s.touched = append(t.s.touched, t)
	}
}

// Scan counts the beginning of a scan.
func (t *Table) Scan() {
	if t != nil {
		t.touch()
		t.counts.Scans++
	}
}

// Returned counts rows that a scan read, or entries that an index gave. A scan was counted before.
func (t *Table) Returned(n int64) {
	if t != nil {
		t.counts.Returned += n
	}
}

// Fetched counts rows that were fetched by their place. Of an index a scan was counted before; of a table nothing need have been.
func (t *Table) Fetched(n int64) {
	if t != nil {
		t.touch()
		t.counts.Fetched += n
	}
}

// Blocks counts pages that were asked for, and those of them that were in the pool.
func (t *Table) Blocks(asked, hit int64) {
	if t != nil {
		t.touch()
		t.counts.BlocksFetched += asked
		t.counts.BlocksHit += hit
	}
}

// addWrites counts what was tried, committed or not; what a committed truncation made pointless is left out.
func (c *Counts) addWrites(x *xactCounts) {
	c.Inserted += x.inserted
	c.Updated += x.updated
	c.Deleted += x.deleted
}

// Insert, Update, Delete count writes of the current subtransaction.
func (t *Table) Insert(n int64) {
	if t != nil {
		t.top().inserted += n
	}
}

func (t *Table) Update(hot bool) {
	if t != nil {
		t.top().updated++
		if hot {
			t.counts.HotUpdated++
		}
	}
}

func (t *Table) Delete() {
	if t != nil {
		t.top().deleted++
	}
}

// Truncate counts that the relation was emptied.
func (t *Table) Truncate() {
	if t == nil {
		return
	}
	x := t.top()
	x.save()
	x.inserted, x.updated, x.deleted = 0, 0, 0
}

// Pruned counts dead versions that were taken away without vacuum.
func (t *Table) Pruned(n int64) {
	if t != nil && n != 0 {
		t.touch()
		t.dead -= n
	}
}

// top gives the counts of the current subtransaction.
func (t *Table) top() *xactCounts {
	if n := len(t.xacts); n > 0 && t.xacts[n-1].level == t.s.level {
		return &t.xacts[n-1]
	}
	t.touch()
	t.xacts = append(t.xacts, xactCounts{level: t.s.level})
	return &t.xacts[len(t.xacts)-1]
}

// save keeps the counts before the first truncation.
func (x *xactCounts) save() {
	if !x.truncated {
		x.insertedPre, x.updatedPre, x.deletedPre = x.inserted, x.updated, x.deleted
		x.truncated = true
	}
}

// restore undoes a truncation's effect on the counts: the transaction aborted.
func (x *xactCounts) restore() {
	if x.truncated {
		x.inserted, x.updated, x.deleted = x.insertedPre, x.updatedPre, x.deletedPre
	}
}

// BeginSub opens a subtransaction.
func (s *Session) BeginSub() {
	if s != nil {
		s.level++
	}
}

// EndSub ends the innermost one.
func (s *Session) EndSub(commit bool) {
	if s == nil {
		return
	}
	for _, t := range s.touched {
		n := len(t.xacts)
		if n == 0 || t.xacts[n-1].level != s.level {
			continue
		}
		x := t.xacts[n-1]
		t.xacts = t.xacts[:n-1]
		if !commit {
			x.restore()
			t.counts.addWrites(&x)
			t.dead += x.inserted + x.updated
			continue
		}
		s.level--
		up := t.top()
		s.level++
		if x.truncated {
			up.save()
			up.inserted, up.updated, up.deleted = x.inserted, x.updated, x.deleted
			continue
		}
		up.inserted += x.inserted
		up.updated += x.updated
		up.deleted += x.deleted
	}
	s.level--
}

// EndTransaction settles what the transaction did and flushes.
func (s *Session) EndTransaction(commit bool) {
	if s == nil {
		return
	}
	for s.level > 0 {
		s.EndSub(commit)
	}
	for _, t := range s.touched {
		t.settle(commit)
	}
	if commit {
		s.delta.Commits++
	} else {
		s.delta.Rollbacks++
	}
	s.changed = true
	s.Flush()
	for _, k := range s.drops {
		s.c.Drop(k.db, k.rel)
		delete(s.tables, k.rel)
		s.last = nil
	}
	s.drops = s.drops[:0]
	s.cache, s.dbCache = nil, nil
}

func (t *Table) settle(commit bool) {
	if len(t.xacts) == 0 {
		return
	}
	x := t.xacts[0]
	t.xacts = t.xacts[:0]
	if !commit {
		x.restore()
		t.counts.addWrites(&x)
		t.dead += x.inserted + x.updated
		return
	}
	t.counts.addWrites(&x)
	if x.truncated {
		t.truncated = true
		t.live, t.dead = 0, 0
	}
	t.live += x.inserted - x.deleted
	t.dead += x.updated + x.deleted
	t.changed += x.inserted + x.updated + x.deleted
}

// Dropped forgets a relation at the end of the transaction, which commits.
func (s *Session) Dropped(rel OID) {
	if s != nil {
		s.drops = append(s.drops, key{s.db, rel})
	}
}

// Delta is what the session adds to its database's figures with the next flush.
func (s *Session) Delta() *DatabaseDelta {
	s.changed = true
	return &s.delta
}

// Flush adds what was counted to the collector. No transaction's writes are open.
func (s *Session) Flush() {
	if s == nil {
		return
	}
	var sum, shared Counts
	for _, t := range s.touched {
		if !s.off {
			s.c.addTable(t)
		}
		if t.key.db == 0 {
			shared.add(&t.counts)
		} else {
			sum.add(&t.counts)
		}
		t.counts, t.live, t.dead, t.changed, t.truncated, t.touched = Counts{}, 0, 0, 0, false, false
	}
	if !s.off && (s.changed || len(s.touched) > 0) {
		s.c.addDatabase(s.db, &s.delta, &sum)
		if shared != (Counts{}) {
			s.c.addDatabase(0, &DatabaseDelta{}, &shared)
		}
	}
	s.delta, s.changed = DatabaseDelta{}, false
	s.touched = s.touched[:0]
}

// Pending gives what the session counted of a relation and has not flushed: the current transaction's figures.
func (s *Session) Pending(rel OID) Counts {
	if s == nil || s.tables[rel] == nil {
		return Counts{}
	}
	t := s.tables[rel]
	c := t.counts
	for i := range t.xacts {
		c.addWrites(&t.xacts[i])
	}
	return c
}

// Unsettled is what the running transaction has done to a relation's estimates, if it commits.
func (s *Session) Unsettled(rel OID) (live, dead int64) {
	if s == nil || s.tables[rel] == nil {
		return 0, 0
	}
	for _, x := range s.tables[rel].xacts {
		live += x.inserted - x.deleted
		dead += x.updated + x.deleted
	}
	return live, dead
}

// Relation gives a relation's figures. Within a transaction they are those of the first look.
func (s *Session) Relation(rel OID) Relation {
	if s == nil {
		return Relation{}
	}
	for _, db := range [2]OID{s.db, 0} {
		k := key{db, rel}
		if r, ok := s.cache[k]; ok {
			return r
		}
		if r, ok := s.c.Relation(db, rel); ok {
			if s.cache == nil {
				s.cache = map[key]Relation{}
			}
			s.cache[k] = r
			return r
		}
	}
	return Relation{}
}

// Database gives a database's figures, in the same way.
func (s *Session) Database(db OID) Database {
	if s == nil {
		return Database{}
	}
	if d, ok := s.dbCache[db]; ok {
		return d
	}
	d := s.c.Database(db)
	if s.dbCache == nil {
		s.dbCache = map[OID]Database{}
	}
	s.dbCache[db] = d
	return d
}

// ForgetSnapshot makes the next look at figures a new one (pg_stat_clear_snapshot).
func (s *Session) ForgetSnapshot() { s.cache, s.dbCache = nil, nil }
