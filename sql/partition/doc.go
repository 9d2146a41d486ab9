// Package partition knows partition keys and bounds: which partition of a partitioned table a row belongs to, which partitions a condition on the
// key can concern, whether a new bound fits among the others, and what condition holds for a partition's rows.
//
//	Key     the key's columns with their comparison or hash functions                 from pg_partitioned_table
//	Desc    the partitions in the order of their bounds, found by binary search        once a descriptor of the table
//	        (list, range) or by modulus (hash)
//	Quals   a partition's constraint as an expression over the parent's columns
//
// The order of partitions is PostgreSQL's: hash by modulus and remainder, list by each partition's smallest value (one with NULL alone behind
// them), range by bound; the default partition comes last. Hash partitioning uses PostgreSQL's extended hash functions, seed and
// combination, so that a row goes to the partition where PostgreSQL puts it.
//
// A Desc is immutable and shared by all sessions. The package reads catalogs through catalog.Lookup and imports nothing above it.
package partition
