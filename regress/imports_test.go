package regress

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/calfdb/calf/"

// ranks gives each package (or tree of packages) its place in the order of imports: a package imports only what is below it. A tree may
// import within itself.
var ranks = map[string]int{
	"sql/pgerr": 0, "storage/dynahash": 0, "storage/pgstat": 0,
	"sql/settings": 1, "sql/types": 1, "sql/parse": 1, "storage/page": 1, "lock": 1, "pgwire": 1,
	"sql/query": 2, "sql/funcs": 2, "storage/pagestore": 2,
	"sql/tsearch": 3, "storage/buffer": 3, "storage/tuple": 3, "storage/xact": 3,
	"storage/heap": 4,
	"index":        5,
	"sql/catalog":  6,
	"sql/expr":     7, "sql/analyze": 7, "sql/partition": 7,
	"sql/rewrite": 8, "sql/plan": 8, "sql/deparse": 8, // deparse uses analyze.OutColumns and SortOperators
	"plancache": 9,
	"executor":  10,
	"sql/ddl":   11, "sql/plpgsql": 11,
	"executor/session": 12,
	"regress":          13, "sql/internal/fakecatalog": 13, // for tests only
	"cmd": 14,
}

// leaves import of calf only what is listed.
var leaves = map[string][]string{
	"sql/pgerr": {}, "storage/dynahash": {}, "storage/pgstat": {}, "sql/settings": {"sql/pgerr"}, "sql/types": {"sql/pgerr"}, "sql/parse": {"sql/pgerr"},
	"sql/query": {"sql/types"}, "pgwire": {"sql/pgerr"}, "storage/page": {"sql/pgerr"},
}

// onlyImporters says who alone may import a package.
var onlyImporters = map[string][]string{
	"sql/ddl": {"executor/session"}, "sql/plpgsql": {"executor/session"}, "executor/session": {"cmd", "regress"}, "cmd": {},
}

// TestImportsPointOneWay checks the picture of the architecture page: imports of files that are not tests.
func TestImportsPointOneWay(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "gen") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, imp := range importsOf(t, path) {
			checked++
			if why := forbidden(filepath.ToSlash(rel), imp); why != "" {
				t.Errorf("%s imports %s: %s", strings.TrimPrefix(path, root+string(os.PathSeparator)), imp, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 50 {
		t.Errorf("only %d imports were looked at: is the walk broken?", checked)
	}
}

// importsOf lists the packages of this module that a file imports.
func importsOf(t *testing.T, path string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(name, modulePath); ok {
			out = append(out, rest)
		}
	}
	return out
}

// forbidden says why a package may not import another; "" when it may.
func forbidden(from, to string) string {
	fromTree, toTree := treeOf(from), treeOf(to)
	if fromTree == "" || toTree == "" {
		return "a package that the table of ranks does not know"
	}
	if fromTree == toTree {
		return ""
	}
	if ranks[toTree] >= ranks[fromTree] {
		return "imports point upwards: " + toTree + " is not below " + fromTree
	}
	if allowed, isLeaf := leaves[fromTree]; isLeaf && !contains(allowed, toTree) {
		return fromTree + " is a leaf"
	}
	if importers, ok := onlyImporters[toTree]; ok && fromTree != "cmd" && !contains(importers, fromTree) {
		return "only " + strings.Join(importers, ", ") + " may"
	}
	return ""
}

// treeOf is the longest entry of ranks that pkg is in.
func treeOf(pkg string) string {
	best := ""
	for tree := range ranks {
		if (pkg == tree || strings.HasPrefix(pkg, tree+"/")) && len(tree) > len(best) {
			best = tree
		}
	}
	return best
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// The rules themselves can fail: three breakages that they must catch.
func TestImportRulesCatch(t *testing.T) {
	for _, c := range [][2]string{{"storage/heap", "executor"}, {"pgwire", "sql/types"}, {"plancache", "sql/ddl"}, {"sql/plan", "nonsense"}} {
		if forbidden(c[0], c[1]) == "" {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
	for _, c := range [][2]string{{"executor/session", "sql/ddl"}, {"pgwire/hba", "pgwire"}, {"cmd/calf", "executor/session"}, {"index/btree", "index"}} {
		if why := forbidden(c[0], c[1]); why != "" {
			t.Errorf("%s may not import %s: %s", c[0], c[1], why)
		}
	}
}
