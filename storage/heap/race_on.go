//go:build race

package heap

// raceEnabled: the first byte of the null bitmap shares its word with the hint bits, which change by atomic OR under a share latch. That is
// harmless on every machine, but the race detector does not know; with it, tuples with nulls are copied when a slot takes them.
const raceEnabled = true
