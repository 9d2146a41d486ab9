package xact

import (
	"encoding/binary"

	"github.com/calfdb/calf/storage/pagestore"
)

// In the store, commit status is one bit a transaction: set = committed. The bits of chunkXIDs transactions are one key whose values are
// ORed, so commits need no latch and no order among them, and a commit costs a few bytes.

func appendStatusKey(dst []byte, chunkNo uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, statusKey...), chunkNo)
}

func readStatus(s *pagestore.Store, chunkNo uint64) ([]byte, error) {
	bits, _, err := s.Get(nil, appendStatusKey(nil, chunkNo))
	return bits, err
}

// putStatus adds to c that xids, ascending, have committed.
func putStatus(c *pagestore.Change, xids []XID) {
	var key [32]byte
	for i := 0; i < len(xids); {
		no := uint64(xids[i]) / chunkXIDs
		firstByte := int(xids[i] % chunkXIDs / 8)
		j := i
		for j < len(xids) && uint64(xids[j])/chunkXIDs == no {
			j++
		}
		var few [8]byte
		bits := few[:]
		if n := int(xids[j-1]%chunkXIDs/8) - firstByte + 1; n <= len(few) {
			bits = bits[:n]
		} else {
			bits = make([]byte, n)
		}
		for _, x := range xids[i:j] {
			bits[int(x%chunkXIDs/8)-firstByte] |= 1 << (x % 8)
		}
		c.Or(appendStatusKey(key[:0], no), firstByte, bits)
		i = j
	}
}

// writeCommit makes the commit durable: one Apply, and the wait for the log.
func (m *Manager) writeCommit(tx *Tx, writers []func(*pagestore.Change)) {
	c := m.store.NewChange()
	putStatus(c, tx.own)
	for _, fn := range writers {
		fn(c)
	}
	at := m.store.Apply(c)
	c.Release()
	if !tx.AsyncCommit {
		m.store.SyncTo(at)
	}
}

// ForgetStatus removes the stored status of transactions below xid, which no tuple names any more.
func (m *Manager) ForgetStatus(below XID) {
	last := uint64(below) / chunkXIDs
	if last == 0 {
		return
	}
	c := m.store.NewChange()
	defer c.Release()
	c.DeleteSmallRange(appendStatusKey(nil, 0), appendStatusKey(nil, last))
	m.store.Apply(c)
}
