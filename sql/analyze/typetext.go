package analyze

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
)

// ParseType finds the type that a text names, as in a type's position in SQL: "numeric(10,2)[]". typ is 0, without an error, when there is no such
// type; mod is its modifier.
func ParseType(env *Env, text string) (typ OID, mod int32, err error) {
	typ, mod, _, err = ParseTypeAt(env, text)
	return typ, mod, err
}

// ParseTypeAt is ParseType that also tells, with an error, the byte of the text where it is.
func ParseTypeAt(env *Env, text string) (typ OID, mod int32, at int, err error) {
	bad := pgerr.New(pgerr.SyntaxError, "invalid type name \"%s\"", text)
	if strings.TrimSpace(text) == "" {
		return 0, -1, 0, bad
	}
	tn, at, err := parseTypeText(text)
	if err != nil {
		return 0, -1, at, pgerr.From(err).WithContext("invalid type name \"%s\"", text)
	}
	if tn.Setof || tn.PctType {
		return 0, -1, 0, bad
	}
	tn.Location = -1 // places in the text that was made up mean nothing
	typ, mod, err = TypeName(env, tn)
	return typ, mod, 0, err
}

// parseTypeText parses a type's name in a command that has one at its end.
func parseTypeText(text string) (*pg_query.TypeName, int, error) {
	const command = "ALTER TABLE t ALTER c TYPE "
	stmts, err := parse.Parse(command + text)
	if err != nil {
		e := *pgerr.From(err)
		at := max(e.Location-1-len(command), 0)
		e.Location = 0
		return nil, at, &e
	}
	if alter := stmts[0].Node.GetAlterTableStmt(); len(stmts) == 1 && len(alter.Cmds) == 1 && strings.IndexByte(text, ';') < 0 {
		if d := alter.Cmds[0].GetAlterTableCmd().Def.GetColumnDef(); d.RawDefault == nil && d.CollClause == nil {
			return d.TypeName, 0, nil
		}
	}
	// The command went on behind the name.
	depth := 0
	sc := parse.Scanner{Text: text}
	for t := sc.Next(); t.Kind != parse.End; t = sc.Next() {
		switch word := text[t.Start:t.End]; {
		case word == "(" || word == "[":
			depth++
		case word == ")" || word == "]":
			depth--
		case depth == 0 && (word == "," || word == ";" || strings.EqualFold(word, "using") || strings.EqualFold(word, "collate")):
			return nil, t.Start, pgerr.New(pgerr.SyntaxError, "syntax error at or near \"%s\"", word)
		}
	}
	return nil, 0, pgerr.New(pgerr.SyntaxError, "syntax error")
}
