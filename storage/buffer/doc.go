// Package buffer keeps pages in memory: pins, content latches, cleanup locks and eviction.
//
// A frame is always as new as the store, because whoever changes a page applies the change before the latch is let go:
//
//	rel, err := pool.Open(id, pagestore.MainFork, false)
//	buf, err := rel.Pin(block)          // the page can't leave
//	buf.LockExclusive(nil)              // nobody reads or changes it
//	page.AddItem(buf.Edit(), tuple, 0, page.AddHeap)
//	c := pool.NewChange()
//	c.Add(buf)                          // any number of pages and small keys
//	pool.Apply(c)                       // one atomic change of the store; memory and store are equal again
//	c.Release()
//	buf.Unlock()                        // had Apply not happened, the page would be read again from the store
//	buf.Unpin()
//
// So eviction drops a frame and writes nothing, and an error, panic or cancel between edit and apply leaves no trace.
//
// The rules that users keep are numbered in README.md; those that can be checked are checked in builds with the tag invariants.
//
// The package imports page, pagestore and pgerr.
package buffer
