package types

import (
	"path/filepath"
	"strings"
)

// Functions in language C: Go functions that stand in for the symbols of shared libraries, so that definitions which name those load.

var cFuncs = map[string]map[string]Func{}

// RegisterC names the stand-in of a library's symbol, or with a nil f a symbol that only has other uses (a trigger function). For init functions.
func RegisterC(library, symbol string, f Func) {
	if cFuncs[library] == nil {
		cFuncs[library] = map[string]Func{}
	}
	cFuncs[library][symbol] = f
}

// LookupC finds a symbol; known says whether there is such a library.
func LookupC(file, symbol string) (f Func, found, known bool) {
	lib, known := cFuncs[LibraryName(file)]
	f, found = lib[symbol]
	return f, found, known
}

// LibraryName is the name of a library in the registry: its file's, without directory and suffix.
func LibraryName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".so") }
