// Package query is the typed query tree: what sql/analyze makes of a parse tree, sql/rewrite changes and sql/plan plans. It is PostgreSQL's
// Query and primitive expression nodes under Go names, so that what is known about those holds here.
//
// Nodes are plain structs behind two interfaces: Expr (has a type) and FromItem (a join tree entry). A tree is immutable once analysed; who
// changes it copies first (Mutate copies what it changes). Locations are byte offsets into the statement text, -1 = unknown.
//
// Encode and Decode turn expressions and whole queries into the text that pg_node_tree columns hold (adbin, conbin, indexprs, ev_action).
package query

import "github.com/calfdb/calf/sql/types"

// OID is a catalog object's name.
type OID = types.OID
