// Package plan turns a rewritten query tree into a plan: paths with PostgreSQL's costs, then plan nodes for the executor.
//
// nodes.go is the contract with executor/: node structs are PostgreSQL's plan nodes under Go names, immutable and shared between
// executions.
package plan
