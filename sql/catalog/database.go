package catalog

import (
	"encoding/binary"
	"time"

	"github.com/calfdb/calf/storage/pagestore"
)

// Databases come and go by their pages. A copy under way has a pending key, as new relations have: a crash leaves nothing.

var pendingDBPrefix = []byte("catalog/pendingdb/")

func pendingDBKey(db OID) []byte {
	return binary.BigEndian.AppendUint32(append([]byte(nil), pendingDBPrefix...), uint32(db))
}

// CopyDatabase fills a new database with another one's pages. Nobody is connected to either; the new one goes if the transaction aborts.
func (v *View) CopyDatabase(from, to OID) error {
	c := v.cluster
	if _, err := v.sess.Tx.XID(); err != nil {
		return err
	}
	ch := c.st.Store.NewChange()
	ch.Set(pendingDBKey(to), nil)
	c.st.Store.Apply(ch)
	ch.Release()
	v.sess.Tx.OnAbort(func() { c.removeDB(to) })
	v.sess.Tx.OnCommitWrite(func(ch *pagestore.Change) { ch.Delete(pendingDBKey(to)) })
	if err := c.copyKeys(from, to); err != nil {
		return err
	}
	return c.st.Store.CopyDB(uint32(from), uint32(to))
}

// copyKeys copies a database's small keys: its relation map and its sequences.
func (c *Cluster) copyKeys(from, to OID) error {
	ch := c.st.Store.NewChange()
	defer ch.Release()
	c.sequences.close() // the stored states are the present ones now
	for _, prefix := range [][]byte{relmapKey(from, 0), sequencePrefix(from)} {
		at := len(prefix) - 4
		err := c.st.Store.Scan(prefix, func(key, value []byte) error {
			k := append([]byte(nil), key...)
			binary.BigEndian.PutUint32(k[at:], uint32(to))
			ch.Set(k, value)
			return nil
		})
		if err != nil {
			return err
		}
	}
	c.st.Store.Apply(ch)
	return nil
}

// RemoveDatabase removes a database's pages when the transaction commits.
func (v *View) RemoveDatabase(db OID) {
	v.sess.Tx.OnCommitWrite(func(ch *pagestore.Change) { dropDBKeys(ch, db) })
	v.sess.Tx.OnCommit(func() {
		v.cluster.forgetDB(db)
		v.sess.Stats.Collector().DropDatabase(uint32(db))
	})
}

func dropDBKeys(ch *pagestore.Change, db OID) {
	ch.DropDB(uint32(db))
	ch.DeleteSmallRange(relmapKey(db, 0), relmapKey(db+1, 0))
	ch.DeleteSmallRange(sequencePrefix(db), sequencePrefix(db+1))
	ch.Delete(pendingDBKey(db))
}

// removeDB removes a database at once.
func (c *Cluster) removeDB(db OID) {
	ch := c.st.Store.NewChange()
	dropDBKeys(ch, db)
	c.st.Store.Apply(ch)
	ch.Release()
	c.forgetDB(db)
}

// forgetDB drops what is in memory of a database that is gone.
func (c *Cluster) forgetDB(oid OID) {
	c.mu.Lock()
	delete(c.dbs, oid)
	c.mu.Unlock()
	c.sequences.forgetDB(uint32(oid))
	c.st.Heap.ForgetDB(uint32(oid))
}

// sweepDatabases removes copies that a crash left unfinished.
func (c *Cluster) sweepDatabases() error {
	var dbs []OID
	err := c.st.Store.Scan(pendingDBPrefix, func(key, _ []byte) error {
		dbs = append(dbs, OID(binary.BigEndian.Uint32(key[len(pendingDBPrefix):])))
		return nil
	})
	for _, db := range dbs {
		c.removeDB(db)
	}
	return err
}

// Sessions of databases: who is connected where, for CREATE and DROP DATABASE. terminate, if not nil, asks a session to end.

// Attach notes that the view's session is connected to its database. Detach ends that.
func (v *View) Attach(terminate func()) {
	c := v.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.attached == nil {
		c.attached = map[*View]func(){}
	}
	c.attached[v] = terminate
}

// Detach notes that the view's session has ended.
func (v *View) Detach() {
	c := v.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.attached, v)
}

// AttachWorker is Attach for a session of the server's own, which has to go when the database is needed alone.
func (v *View) AttachWorker(terminate func()) {
	v.Attach(terminate)
	v.cluster.mu.Lock()
	v.worker = true
	v.cluster.mu.Unlock()
}

// otherSessionsPatience is how long a session that is about to end may take, as in PostgreSQL.
const otherSessionsPatience = 5 * time.Second

// OtherSessions counts the sessions connected to a database, besides one, and waits a while for them to go. The server's own are asked to.
func (c *Cluster) OtherSessions(db OID, besides *View) int {
	for end := time.Now().Add(otherSessionsPatience); ; {
		n := c.countOthers(db, besides)
		if n == 0 || time.Now().After(end) {
			return n
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (c *Cluster) countOthers(db OID, besides *View) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for v, terminate := range c.attached {
		if v == besides || v.db.OID != db {
			continue
		}
		n++
		if v.worker {
			terminate()
		}
	}
	return n
}

// TerminateSessions asks the sessions connected to a database to end.
func (c *Cluster) TerminateSessions(db OID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for v, terminate := range c.attached {
		if v.db.OID == db && terminate != nil {
			terminate()
		}
	}
}
