package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
)

func init() { register("DefineStmt", define) }

// define is CREATE of the kinds whose definition is a list of name = value.
func define(c *ctx, n *pg_query.DefineStmt) (string, error) {
	switch n.Kind {
	case pg_query.ObjectType_OBJECT_AGGREGATE:
		return "CREATE AGGREGATE", c.createAggregate(n)
	case pg_query.ObjectType_OBJECT_OPERATOR:
		return "CREATE OPERATOR", c.createOperator(n)
	case pg_query.ObjectType_OBJECT_TSPARSER:
		return "CREATE TEXT SEARCH PARSER", c.createTSParser(n)
	case pg_query.ObjectType_OBJECT_TSTEMPLATE:
		return "CREATE TEXT SEARCH TEMPLATE", c.createTSTemplate(n)
	case pg_query.ObjectType_OBJECT_TSDICTIONARY:
		return "CREATE TEXT SEARCH DICTIONARY", c.createTSDict(n)
	case pg_query.ObjectType_OBJECT_TSCONFIGURATION:
		return "CREATE TEXT SEARCH CONFIGURATION", c.createTSConfig(n)
	}
	return "", pgerr.NotSupported("CREATE %s", strings.ToUpper(parse.ObjectWord(n.Kind)))
}

// defNames gives a qualified name that an attribute has for its value.
func defNames(d *pg_query.DefElem) ([]*pg_query.Node, error) {
	if d.Arg == nil {
		return nil, pgerr.New(pgerr.SyntaxError, "%s requires a parameter", d.Defname)
	}
	switch x := d.Arg.Node.(type) {
	case *pg_query.Node_String_:
		return []*pg_query.Node{d.Arg}, nil
	case *pg_query.Node_TypeName:
		return x.TypeName.Names, nil
	case *pg_query.Node_List:
		return x.List.Items, nil
	}
	return nil, pgerr.New(pgerr.SyntaxError, "argument of %s must be a name", d.Defname)
}

// defTypeName gives a type that an attribute has for its value.
func defTypeName(d *pg_query.DefElem) (*pg_query.TypeName, error) {
	if d.Arg == nil {
		return nil, pgerr.New(pgerr.SyntaxError, "%s requires a parameter", d.Defname)
	}
	switch x := d.Arg.Node.(type) {
	case *pg_query.Node_String_:
		return namedType([]*pg_query.Node{d.Arg}), nil
	case *pg_query.Node_TypeName:
		return x.TypeName, nil
	}
	return nil, pgerr.New(pgerr.SyntaxError, "argument of %s must be a type name", d.Defname)
}
