//go:build !invariants && !race

package buffer

const invariants = false
