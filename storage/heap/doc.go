// Package heap keeps tables: versions of rows on pages, which transactions see which, and how dead versions go.
// See README.md for states, rules and lock order.
package heap
