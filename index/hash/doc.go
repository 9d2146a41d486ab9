// Package hash is the hash access method: linear hashing over pages, in the layout of PostgreSQL's (src/backend/access/hash/README), so that page contents
// can be compared with a real server's.
//
//	block 0          metapage: number of buckets, masks, where the bucket pages of each phase are, bitmap pages
//	bucket pages     placed by split point; each heads the chain of its bucket
//	overflow pages   chained to a bucket in both directions, or free
//	bitmap pages     one bit an overflow page
//
//	 bucket 5    +-----------+  next   +----------+         +----------+
//	 ----------> |  primary  | ------> | overflow | ------> | overflow |       entries in a page are sorted by hash code
//	             +-----------+ <------ +----------+ <------ +----------+
//	               stamp, flags
//
// An entry is a hash code and the TID of its row; a null has none. A page knows nothing of the values, so whatever a scan finds is compared again by its caller.
//
// What differs from PostgreSQL: an insertion leaves the metapage alone, unless it must add an overflow page. The number of entries is counted in memory (in stripes)
// and by a merge with each Apply in the store, exactly. The metapage is read from an immutable copy, which is right for a bucket if it
// knows the bucket's last split, whose number is stamped on the bucket's primary page. Where an overflow page is added, and only there, the count decides
// whether buckets are split.
//
// README.md has the rules and the operations step by step. Imports: index, sql/types, sql/pgerr, storage/{page,pagestore,buffer}.
package hash
