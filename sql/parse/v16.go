package parse

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/calfdb/calf/sql/pgerr"
)

// The library's grammar is PostgreSQL 16's. What it takes and 15 does not:
//
//	numbers 1_000, 0x1F, 0o7, 0b1     trailing junk after numeric literal
//	FROM (SELECT ...) without alias   subquery in FROM must have an alias
//	x IS JSON, JSON_ARRAY(... RETURNING ..), JSON_OBJECT(k: v), JSON_ARRAYAGG, JSON_OBJECTAGG    syntax errors
//	XMLSERIALIZE(... INDENT)          syntax error
//	column STORAGE in CREATE TABLE    syntax error
//	SYSTEM_USER                       a column name in 15: analyze treats it so

// numberJunk is 15's error for a number that only 16 reads.
func numberJunk(sql string, at int) error {
	end := at
	for end < len(sql) && isDigit(sql[end]) {
		end++
	}
	end = min(end+1, len(sql))
	return pgerr.New(pgerr.SyntaxError, "trailing junk after numeric literal at or near \"%s\"", sql[at:end]).WithLocation(at)
}

// checkV16 looks for syntax that PostgreSQL 15 does not have.
func checkV16(sql string, stmt *pg_query.Node) error {
	return walkMessages(stmt.ProtoReflect(), func(m protoreflect.Message) error {
		switch n := m.Interface().(type) {
		case *pg_query.RangeSubselect:
			if n.Alias == nil {
				return aliasMissing(sql, n)
			}
		case *pg_query.JsonIsPredicate:
			return syntaxErrorAtWord(sql, int(n.Location), "json")
		case *pg_query.JsonObjectConstructor:
			return syntaxErrorAfterParen(sql, int(n.Location))
		case *pg_query.JsonArrayConstructor, *pg_query.JsonArrayQueryConstructor, *pg_query.JsonArrayAgg, *pg_query.JsonObjectAgg:
			return pgerr.NotSupported("SQL/JSON constructor syntax")
		case *pg_query.XmlSerialize:
			if n.Indent {
				return syntaxErrorAtWord(sql, int(n.Location), "indent")
			}
		case *pg_query.ColumnDef:
			if n.StorageName != "" {
				return syntaxErrorAtWord(sql, int(n.Location), "storage")
			}
		}
		return nil
	})
}

// walkMessages visits a message and all below it.
func walkMessages(m protoreflect.Message, f func(protoreflect.Message) error) (err error) {
	if err := f(m); err != nil {
		return err
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.Message() == nil {
			return true
		}
		if !fd.IsList() {
			err = walkMessages(v.Message(), f)
			return err == nil
		}
		for i, list := 0, v.List(); i < list.Len() && err == nil; i++ {
			err = walkMessages(list.Get(i).Message(), f)
		}
		return err == nil
	})
	return err
}

func syntaxError(sql string, t Token) error {
	if t.Kind == End {
		return pgerr.New(pgerr.SyntaxError, "syntax error at end of input").WithLocation(t.Start)
	}
	return pgerr.New(pgerr.SyntaxError, "syntax error at or near \"%s\"", sql[t.Start:t.End]).WithLocation(t.Start)
}

// syntaxErrorAtWord puts the error at the first such word at or after a place.
func syntaxErrorAtWord(sql string, from int, word string) error {
	s := Scanner{Text: sql, pos: max(from, 0)}
	for {
		t := s.Next()
		if t.Kind == End || t.Kind == Ident && strings.EqualFold(sql[t.Start:t.End], word) {
			return syntaxError(sql, t)
		}
	}
}

// syntaxErrorAfterParen puts the error at the colon, VALUE, NULL, ABSENT, WITH, WITHOUT or RETURNING that makes a call special syntax.
func syntaxErrorAfterParen(sql string, from int) error {
	s := Scanner{Text: sql, pos: max(from, 0)}
	for depth := 0; ; {
		t := s.Next()
		switch text := strings.ToLower(sql[t.Start:t.End]); {
		case t.Kind == End:
			return syntaxError(sql, t)
		case text == "(":
			depth++
		case text == ")":
			depth--
		case depth == 1 && (text == ":" || text == "value" || text == "null" || text == "absent" || text == "with" || text == "without" ||
			text == "returning" || text == "format"):
			return syntaxError(sql, t)
		}
	}
}

// aliasMissing is 15's error for a sub-select in FROM without an alias, at its bracket.
func aliasMissing(sql string, n *pg_query.RangeSubselect) error {
	what, example := "subquery", "SELECT ..."
	if sel := n.Subquery.GetSelectStmt(); sel != nil && len(sel.ValuesLists) > 0 {
		what, example = "VALUES", "VALUES ..."
	}
	return pgerr.New(pgerr.SyntaxError, "%s in FROM must have an alias", what).
		WithHint("For example, FROM (%s) [AS] foo.", example).WithLocation(bracketBefore(sql, firstLocation(n.ProtoReflect())))
}

// firstLocation is the smallest place in the tree, -1 when it has none.
func firstLocation(m protoreflect.Message) int {
	first := -1
	walkMessages(m, func(m protoreflect.Message) error {
		if fd := m.Descriptor().Fields().ByName("location"); fd != nil && m.Has(fd) {
			if at := int(m.Get(fd).Int()); at > 0 && (first < 0 || at < first) {
				first = at
			}
		}
		return nil
	})
	return first
}

// bracketBefore is the place of the innermost bracket that opens a select before a place.
func bracketBefore(sql string, at int) int {
	found, bracket := -1, -1
	s := Scanner{Text: sql}
	for {
		t := s.Next()
		if t.Kind == End || at >= 0 && t.Start >= at {
			return found
		}
		if bracket >= 0 && t.Kind == Ident && selectWords[strings.ToLower(sql[t.Start:t.End])] {
			found = bracket
		}
		bracket = -1
		if sql[t.Start] == '(' {
			bracket = t.Start
		}
	}
}
