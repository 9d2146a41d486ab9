package session

// The utility commands and the built-in functions register themselves.
import (
	_ "github.com/calfdb/calf/sql/ddl"
	_ "github.com/calfdb/calf/sql/deparse" // pg_get_viewdef and kin
	_ "github.com/calfdb/calf/sql/funcs"
	_ "github.com/calfdb/calf/sql/tsearch"
)
