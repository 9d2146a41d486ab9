package session

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
)

// copyOptions are COPY's options, checked.
type copyOptions struct {
	csv, binary, freeze                    bool
	header, headerMatch                    bool
	delim, quote, escape                   byte
	null                                   string
	forceQuoteAll                          bool
	forceQuote                             []string
	forceNotNull, forceNull                []string
	encoding                               string
	delimSet, nullSet, quoteSet, escapeSet bool
}

// wireFormat is the format code of the protocol's copy messages.
func (o *copyOptions) wireFormat() int8 {
	if o.binary {
		return 1
	}
	return 0
}

// parseCopyOptions reads the option list.
func parseCopyOptions(n *pg_query.CopyStmt) (*copyOptions, error) {
	o := &copyOptions{}
	seen := map[string]bool{}
	for _, node := range n.Options {
		d := node.GetDefElem()
		if seen[d.Defname] {
			return nil, pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").WithLocation(int(d.Location))
		}
		seen[d.Defname] = true
		if err := o.set(d); err != nil {
			return nil, err
		}
	}
	return o, o.finish(n.IsFrom)
}

func (o *copyOptions) set(d *pg_query.DefElem) (err error) {
	switch d.Defname {
	case "format":
		switch f := defString(d); f {
		case "text":
		case "csv":
			o.csv = true
		case "binary":
			o.binary = true
		default:
			return pgerr.New(pgerr.InvalidParameterValue, "COPY format \"%s\" not recognized", f).WithLocation(int(d.Location))
		}
	case "freeze":
		o.freeze, err = defBool(d)
	case "delimiter":
		o.delim, err = oneByte(d, "delimiter")
		o.delimSet = true
	case "null":
		o.null, o.nullSet = defString(d), true
	case "header":
		if strings.EqualFold(defString(d), "match") {
			o.header, o.headerMatch = true, true
			return nil
		}
		o.header, err = defBool(d)
	case "quote":
		o.quote, err = oneByte(d, "quote")
		o.quoteSet = true
	case "escape":
		o.escape, err = oneByte(d, "escape")
		o.escapeSet = true
	case "force_quote":
		if d.Arg.GetAStar() != nil {
			o.forceQuoteAll = true
		} else {
			o.forceQuote, err = defNames(d)
		}
	case "force_not_null":
		o.forceNotNull, err = defNames(d)
	case "force_null":
		o.forceNull, err = defNames(d)
	case "encoding":
		o.encoding = defString(d)
	default:
		return pgerr.New(pgerr.SyntaxError, "option \"%s\" not recognized", d.Defname).WithLocation(int(d.Location))
	}
	return err
}

// finish fills defaults in and checks the options against each other.
func (o *copyOptions) finish(isFrom bool) error {
	if !o.delimSet {
		o.delim = '\t'
		if o.csv {
			o.delim = ','
		}
	}
	if !o.nullSet && !o.csv {
		o.null = `\N`
	}
	if o.csv {
		if !o.quoteSet {
			o.quote = '"'
		}
		if !o.escapeSet {
			o.escape = o.quote
		}
	}
	return o.check(isFrom)
}

func (o *copyOptions) check(isFrom bool) error {
	bad := func(format string, args ...any) error { return pgerr.New(pgerr.FeatureNotSupported, format, args...) }
	invalid := func(format string, args ...any) error { return pgerr.New(pgerr.InvalidParameterValue, format, args...) }
	switch {
	case o.binary && o.delimSet:
		return pgerr.New(pgerr.SyntaxError, "cannot specify DELIMITER in BINARY mode")
	case o.binary && o.nullSet:
		return pgerr.New(pgerr.SyntaxError, "cannot specify NULL in BINARY mode")
	case o.binary && o.header:
		return bad("cannot specify HEADER in BINARY mode")
	case strings.ContainsAny(o.null, "\r\n"):
		return invalid("COPY null representation cannot use newline or carriage return")
	case o.delim == '\r' || o.delim == '\n':
		return invalid("COPY delimiter cannot be newline or carriage return")
	case !o.csv && strings.IndexByte(`\.abcdefghijklmnopqrstuvwxyz0123456789`, o.delim) >= 0:
		return invalid("COPY delimiter cannot be \"%c\"", o.delim)
	case !o.csv && o.quoteSet:
		return bad("COPY quote available only in CSV mode")
	case !o.csv && o.escapeSet:
		return bad("COPY escape available only in CSV mode")
	case o.csv && o.delim == o.quote:
		return invalid("COPY delimiter and quote must be different")
	case !o.csv && (o.forceQuoteAll || len(o.forceQuote) > 0):
		return bad("COPY force quote available only in CSV mode")
	case isFrom && (o.forceQuoteAll || len(o.forceQuote) > 0):
		return bad("COPY force quote only available using COPY TO")
	case !o.csv && len(o.forceNotNull) > 0:
		return bad("COPY force not null available only in CSV mode")
	case !isFrom && len(o.forceNotNull) > 0:
		return bad("COPY force not null only available using COPY FROM")
	case !o.csv && len(o.forceNull) > 0:
		return bad("COPY force null available only in CSV mode")
	case !isFrom && len(o.forceNull) > 0:
		return bad("COPY force null only available using COPY FROM")
	case strings.IndexByte(o.null, o.delim) >= 0:
		return bad("COPY delimiter must not appear in the NULL specification")
	case o.csv && strings.IndexByte(o.null, o.quote) >= 0:
		return bad("CSV quote character must not appear in the NULL specification")
	case o.encoding != "" && !strings.EqualFold(o.encoding, "utf8") && !strings.EqualFold(o.encoding, "utf-8"):
		return pgerr.NotSupported("COPY with encoding %s", o.encoding)
	}
	return nil
}

// defString gives an option's value as text.
func defString(d *pg_query.DefElem) string {
	switch v := d.Arg.GetNode().(type) {
	case *pg_query.Node_String_:
		return v.String_.Sval
	case *pg_query.Node_Boolean:
		if v.Boolean.Boolval {
			return "true"
		}
		return "false"
	case *pg_query.Node_Integer:
		return string(appendTag(nil, "", int64(v.Integer.Ival)))
	case *pg_query.Node_Float:
		return v.Float.Fval
	case *pg_query.Node_TypeName:
		names := v.TypeName.Names
		return names[len(names)-1].GetString_().Sval
	}
	return ""
}

func defBool(d *pg_query.DefElem) (bool, error) {
	if d.Arg == nil {
		return true, nil
	}
	switch strings.ToLower(defString(d)) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value", d.Defname)
}

func oneByte(d *pg_query.DefElem, what string) (byte, error) {
	s := defString(d)
	if len(s) != 1 {
		return 0, pgerr.New(pgerr.FeatureNotSupported, "COPY %s must be a single one-byte character", what)
	}
	return s[0], nil
}

func defNames(d *pg_query.DefElem) ([]string, error) {
	list := d.Arg.GetList()
	if list == nil {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "argument to option \"%s\" must be a list of column names", d.Defname).WithLocation(int(d.Location))
	}
	var names []string
	for _, n := range list.Items {
		names = append(names, n.GetString_().Sval)
	}
	return names, nil
}

// copyColumns gives the attribute numbers that COPY is about: those listed, or all that are no generated columns.
func copyColumns(rel *catalog.Relation, list []*pg_query.Node) ([]int16, error) {
	var cols []int16
	if len(list) == 0 {
		for i := range rel.Desc.Attrs {
			if a := &rel.Desc.Attrs[i]; !a.Dropped && a.Generated == 0 {
				cols = append(cols, a.Num)
			}
		}
		return cols, nil
	}
	for _, n := range list {
		name := n.GetString_().Sval
		a := rel.AttrByName(name)
		switch {
		case a == nil:
			return nil, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, rel.Name)
		case a.Generated != 0:
			return nil, pgerr.New(pgerr.InvalidColumnReference, "column \"%s\" is a generated column", name).
				WithDetail("Generated columns cannot be used in COPY.")
		}
		for _, c := range cols {
			if c == a.Num {
				return nil, pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", name)
			}
		}
		cols = append(cols, a.Num)
	}
	return cols, nil
}

// flags says for each of cols whether its name is in names.
func columnFlags(rel *catalog.Relation, cols []int16, names []string, option string) ([]bool, error) {
	flags := make([]bool, len(cols))
	for _, name := range names {
		a := rel.AttrByName(name)
		if a == nil {
			return nil, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, rel.Name)
		}
		found := false
		for i, c := range cols {
			if c == a.Num {
				flags[i], found = true, true
			}
		}
		if !found {
			return nil, pgerr.New(pgerr.InvalidColumnReference, "%s column \"%s\" not referenced by COPY", option, name)
		}
	}
	return flags, nil
}
