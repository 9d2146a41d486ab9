//go:build invariants || race

package buffer

// invariants turns on the checks of the rules in README.md.
const invariants = true
