package ddl

import (
	"reflect"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// nodeOf takes the statement out of a parse node: the only field of its wrapper.
func nodeOf[T any](n *pg_query.Node) T {
	return reflect.ValueOf(n.Node).Elem().Field(0).Interface().(T)
}
