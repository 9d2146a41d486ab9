// Package btree is the btree access method: Lehman and Yao's tree with right links and high keys, in nbtree's page layout
// (PostgreSQL src/backend/access/nbtree/README), with the row's TID as the last key column, so that all keys are different.
//
//	meta page (block 0)     root block, its level
//	internal page           high key | -inf -> child | key -> child | key -> child ...
//	leaf page               high key | key, TID | key, TID ...
//
//	 +------+  right link   +------+               +------+
//	 |  L   | ------------> |  R   | ------------> |      |      pages of one level are a list in both directions
//	 +------+ <------------ +------+ <------------ +------+
//
// A reader latches one page at a time and goes right when the key it looks for is beyond the page's high key: a split that it did not see
// moved it there. A writer latches left to right and child to parent.
//
// What one Apply does (after a crash it is there as a whole or not at all): an insertion into a page; a split of a page into two with the
// right neighbour's back link; the parent's entry for a new page with the flag that says it is missing; a new root; the removal of an
// empty page from its list and its parent. Between a split and its parent's entry the tree is sound, only slower: the next writer who
// meets the flag (INCOMPLETE_SPLIT) finishes it.
//
// High keys and the keys of internal pages are truncated to the columns that tell the two sides apart. There is no deduplication: an index
// on a column with few values is larger than PostgreSQL's.
//
// README.md has the rules. Imports: index, sql/types, sql/pgerr, storage/{page,pagestore,buffer,tuple,xact}.
package btree
