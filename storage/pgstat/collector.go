package pgstat

import (
	"sync"
	"time"
)

// key names a relation of a database; db 0 has the shared catalogs.
type key struct{ db, rel OID }

// Collector holds the figures of all sessions.
type Collector struct {
	shards [shardCount]shard

	mu  sync.Mutex
	dbs map[OID]*Database
}

// shardCount is how many locks the relations are spread over.
const shardCount = 16

type shard struct {
	mu   sync.Mutex
	rels map[key]*Relation
}

// New makes an empty collector.
func New() *Collector {
	c := &Collector{dbs: map[OID]*Database{}}
	for i := range c.shards {
		c.shards[i].rels = map[key]*Relation{}
	}
	return c
}

func (c *Collector) shard(k key) *shard { return &c.shards[(k.rel^k.db)%shardCount] }

// at gives a relation's entry, made when there is none. The caller holds the shard.
func (s *shard) at(k key) *Relation {
	r := s.rels[k]
	if r == nil {
		r = &Relation{}
		s.rels[k] = r
	}
	return r
}

func (c *Collector) addTable(t *Table) {
	s := c.shard(t.key)
	s.mu.Lock()
	r := s.at(t.key)
	r.add(&t.counts)
	if t.truncated {
		r.Live, r.Dead, r.InsertsSinceVacuum = 0, 0, 0
	}
	r.Live = max(r.Live+t.live, 0)
	r.Dead = max(r.Dead+t.dead, 0)
	r.ModSinceAnalyze += t.changed
	r.InsertsSinceVacuum += t.counts.Inserted
	s.mu.Unlock()
}

// database gives a database's entry. The caller holds mu.
func (c *Collector) database(db OID) *Database {
	d := c.dbs[db]
	if d == nil {
		d = &Database{}
		c.dbs[db] = d
	}
	return d
}

func (c *Collector) addDatabase(db OID, delta *DatabaseDelta, sum *Counts) {
	c.mu.Lock()
	d := c.database(db)
	d.apply(delta)
	d.add(sum)
	c.mu.Unlock()
}

// Relation gives a copy of a relation's figures.
func (c *Collector) Relation(db, rel OID) (Relation, bool) {
	k := key{db, rel}
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rels[k]
	if r == nil {
		return Relation{}, false
	}
	return *r, true
}

// Database gives a copy of a database's figures.
func (c *Collector) Database(db OID) Database {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.dbs[db]; d != nil {
		return *d
	}
	return Database{}
}

// ActiveDatabases lists the databases that something was counted for.
func (c *Collector) ActiveDatabases() []OID {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []OID
	for db := range c.dbs {
		if db != 0 {
			list = append(list, db)
		}
	}
	return list
}

// VacuumReport is what a vacuum or an analyze of a table found.
type VacuumReport struct {
	DB, Rel    OID
	Live, Dead int64
	Auto       bool
	At         time.Time
}

// Vacuumed notes a vacuum: the estimates are the vacuum's now.
func (c *Collector) Vacuumed(v VacuumReport) {
	c.change(v, func(r *Relation) {
		r.Live, r.Dead, r.InsertsSinceVacuum = v.Live, v.Dead, 0
		if v.Auto {
			r.LastAutovacuum = v.At
			r.AutovacuumCount++
		} else {
			r.LastVacuum = v.At
			r.VacuumCount++
		}
	})
}

// Analyzed notes an analyze; resetMods: all columns were looked at.
func (c *Collector) Analyzed(v VacuumReport, resetMods bool) {
	c.change(v, func(r *Relation) {
		r.Live, r.Dead = max(v.Live, 0), max(v.Dead, 0)
		if resetMods {
			r.ModSinceAnalyze = 0
		}
		if v.Auto {
			r.LastAutoanalyze = v.At
			r.AutoanalyzeCount++
		} else {
			r.LastAnalyze = v.At
			r.AnalyzeCount++
		}
	})
}

func (c *Collector) change(v VacuumReport, f func(*Relation)) {
	if c == nil {
		return
	}
	k := key{v.DB, v.Rel}
	s := c.shard(k)
	s.mu.Lock()
	f(s.at(k))
	s.mu.Unlock()
}

// Drop forgets a relation.
func (c *Collector) Drop(db, rel OID) {
	k := key{db, rel}
	s := c.shard(k)
	s.mu.Lock()
	delete(s.rels, k)
	s.mu.Unlock()
}

// DropDatabase forgets a database and its relations.
func (c *Collector) DropDatabase(db OID) {
	if c == nil {
		return
	}
	c.eachShard(func(s *shard) {
		for k := range s.rels {
			if k.db == db {
				delete(s.rels, k)
			}
		}
	})
	c.mu.Lock()
	delete(c.dbs, db)
	c.mu.Unlock()
}

// ResetDatabase sets all figures of a database to zero (pg_stat_reset).
func (c *Collector) ResetDatabase(db OID, at time.Time) {
	c.DropDatabase(db)
	c.mu.Lock()
	c.database(db).Reset = at
	c.mu.Unlock()
}

func (c *Collector) eachShard(f func(*shard)) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		f(s)
		s.mu.Unlock()
	}
}

// Relations lists the relations of a database that there are figures of, for autovacuum.
func (c *Collector) Relations(db OID) (list []OID) {
	c.eachShard(func(s *shard) {
		for k := range s.rels {
			if k.db == db {
				list = append(list, k.rel)
			}
		}
	})
	return list
}
