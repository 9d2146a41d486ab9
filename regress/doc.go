// Package regress holds the tests that are about the whole: the import rules of the packages, and in its folders SQL regression files, isolation
// specs, crash tests and benchmarks. Only tests and cmd/calf use it.
package regress
