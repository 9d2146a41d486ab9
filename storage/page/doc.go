// Package page is the layout of an 8192-byte page and the only way to change one.
//
// The layout is PostgreSQL's, so that rows per page, free space, ctids and plans agree with it:
//
//	 0  pd_lsn               8 bytes; calf has no LSNs: the heap keeps its 64-bit xid base here, other users leave it 0
//	 8  pd_checksum          2 bytes; unused, 0 (Pebble checksums its blocks)
//	10  pd_flags             2 bytes
//	12  pd_lower             2 bytes; end of the line pointers
//	14  pd_upper             2 bytes; start of the items
//	16  pd_special           2 bytes; start of the access method's own space
//	18  pd_pagesize_version  2 bytes; 8192 | 4
//	20  pd_prune_xid         4 bytes; the heap's; 0 in an index
//	24  line pointers ...          -> free space <-          items, special space
//
// A page's version, and the number and weight of the deltas since its last image, are not on the page: they stand in the frame
// of the stored value and in the buffer's frame header (see pagestore), so that usable space is exactly PostgreSQL's.
//
// # Edits
//
// Everything durable is the log of edits. Edit is the only way to change a page: each of its methods changes the bytes in memory and
// appends the same change, as an operation, to a program (a delta) which the page store lays on the stored image. So memory and log can
// not differ. Four operations suffice:
//
//	PATCH off bytes     overwrite
//	MOVE  dst src len   memmove, overlap allowed: slot arrays and items shift
//	FILL  off len byte  memset
//	(image)             the whole page, when a delta would be longer than half of it
//
// The item functions (AddItem, RepairFragmentation, IndexMultiDelete ...) are PostgreSQL's, written over Edit; they validate the page before
// they touch it and answer an error with SQLSTATE XX001 for one that is damaged.
//
// A hint (tuple hint bits, a killed index item) is not an edit: it is set atomically in memory under a share latch and not logged,
// see buffer.Buf.SetHint.
//
// The package imports only pgerr.
package page
