package types

import "strings"

// quotedKeywords are the key words of PostgreSQL 15 that an identifier may not be without quotes in every place: all but the
// unreserved ones.
var quotedKeywords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case cast char
		character check coalesce collate collation column concurrently constraint create cross current_catalog current_date
		current_role current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do
		else end except exists extract false fetch float for foreign freeze from full grant greatest group grouping having ilike in
		initially inner inout int integer intersect interval into is isnull join lateral leading least left like limit localtime
		localtimestamp national natural nchar none normalize not notnull null nullif numeric offset on only or order out outer
		overlaps overlay placing position precision primary real references returning right row select session_user setof similar
		smallint some substring symmetric table tablesample then time timestamp to trailing treat trim true union unique user using
		values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces
		xmlparse xmlpi xmlroot xmlserialize xmltable
	`) {
		m[w] = true
	}
	return m
}()

// IsQuotedKeyword says whether quote_ident quotes word for being a key word.
func IsQuotedKeyword(word string) bool { return quotedKeywords[word] }

// QuoteIdent quotes an identifier when it must be.
func QuoteIdent(env *Env, s string) string {
	if identIsSafe(s) && !env.settings().QuoteAllIdents {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

func identIsSafe(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c == '_' || c >= '0' && c <= '9') {
			return false
		}
	}
	return !quotedKeywords[s]
}

// QuoteLiteral quotes a string as an SQL literal, with E” when it has backslashes.
func QuoteLiteral(s string) string {
	q := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		q = "E" + strings.ReplaceAll(q, `\`, `\\`)
	}
	return q
}
