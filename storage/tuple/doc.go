// Package tuple forms and deforms values in PostgreSQL's on-page layout. Heap tuples and index tuples share it: a tuple is a header
// (its owner's business), an optional null bitmap, and the data area that this package writes and reads.
//
//	| header | null bitmap (only with nulls) | pad to 8 | value 1 | pad | value 2 | ...
//
// Fixed-size values are aligned to their type (c 1, s 2, i 4, d 8), counted from the start of the data area, which itself is 8-aligned in
// the page. A varlena value carries its length in front of its payload:
//
//	0xxxxxx1            1 byte: total length (with itself) in the upper 7 bits; not aligned; payloads of up to 126 bytes
//	xxxxxx00 + 3 bytes  4 bytes little endian: total length << 2; aligned
//	xxxxxx10 + 3 bytes  the same, compressed: payload is uint32 raw size | method << 30, then the compressed bytes
//	00000001            1 byte, then a tag and a pointer to a value stored out of line (TOAST)
//
// A Datum holds the bare payload: the header is put on by Form and taken off by Deform, name is padded to 64 bytes and cut at its first
// NUL, cstring gets its NUL, tid is 6 bytes. What Deform yields points into the tuple's bytes and costs no allocation.
//
// Layout is a descriptor compiled for speed: compact columns, and the offsets of leading columns that are always at the same place.
// Deform is incremental: State remembers how far it came.
//
// Imports: sql/types only.
package tuple
