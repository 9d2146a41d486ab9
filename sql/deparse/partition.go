package deparse

import (
	"strconv"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// RangeBound prints a range bound: (1, MAXVALUE).
func RangeBound(ctx *Context, list []query.Expr) string {
	p := &printer{ctx: ctx}
	p.rangeBound(list)
	return string(p.buf)
}

func (p *printer) rangeBound(list []query.Expr) {
	p.write("(")
	for i, e := range list {
		if i > 0 {
			p.write(", ")
		}
		switch d := e.(*query.PartitionRangeDatum); {
		case d.Kind < 0:
			p.write("MINVALUE")
		case d.Kind > 0:
			p.write("MAXVALUE")
		default:
			p.constant(d.Value.(*query.Const), -1)
		}
	}
	p.write(")")
}

// partitionBound prints a partition's bound as in CREATE TABLE.
func (p *printer) partitionBound(b *query.PartitionBoundSpec) {
	if b.IsDefault {
		p.write("DEFAULT")
		return
	}
	p.write("FOR VALUES ")
	switch b.Strategy {
	case partition.Hash:
		p.write("WITH (modulus ", strconv.Itoa(int(b.Modulus)), ", remainder ", strconv.Itoa(int(b.Remainder)), ")")
	case partition.List:
		p.write("IN (")
		for i, e := range b.List {
			if i > 0 {
				p.write(", ")
			}
			p.constant(e.(*query.Const), -1)
		}
		p.write(")")
	default:
		p.write("FROM ")
		p.rangeBound(b.Lower)
		p.write(" TO ")
		p.rangeBound(b.Upper)
	}
}

// PartitionKeyDef prints a partition key, as pg_get_partkeydef does; columns leaves out collations and operator classes.
func PartitionKeyDef(ctx *Context, rel *catalog.Relation, columns bool) (string, error) {
	over, err := ForRelation(ctx.Catalog, ctx.Types, rel, ctx.Pretty)
	if err != nil {
		return "", err
	}
	p := &printer{ctx: over}
	k := rel.PartKey
	if !columns {
		p.write(map[byte]string{partition.Hash: "HASH", partition.List: "LIST", partition.Range: "RANGE"}[k.Strategy], " ")
	}
	p.write("(")
	next := 0
	for i, att := range k.Attrs {
		if i > 0 {
			p.write(", ")
		}
		var typ, coll OID
		if att != 0 {
			a := &rel.Desc.Attrs[att-1]
			typ, coll = a.TypeOID, a.Collation
			p.write(p.quote(a.Name))
		} else {
			e := k.Exprs[next]
			next++
			typ, coll = e.Type(), e.Collation()
			if looksLikeFunction(e) {
				p.expr(e, false)
			} else {
				p.write("(")
				p.expr(e, false)
				p.write(")")
			}
		}
		if columns {
			continue
		}
		if c := k.Collations[i]; c != 0 && c != coll {
			p.write(" COLLATE ", p.collationName(c))
		}
		p.opClass(k.OpClasses[i], typ)
	}
	p.write(")")
	return string(p.buf), p.err
}

// PartitionConstraintDef prints what holds for a partition's rows, "" when that is everything.
func PartitionConstraintDef(ctx *Context, rel *catalog.Relation) (string, error) {
	list, err := partition.Constraint(ctx.Catalog, ctx.Types, rel)
	if err != nil || len(list) == 0 {
		return "", err
	}
	over, err := ForRelation(ctx.Catalog, ctx.Types, rel, ctx.Pretty)
	if err != nil {
		return "", err
	}
	var e query.Expr = &query.BoolExpr{Op: query.And, Args: list, Loc: -1}
	if len(list) == 1 {
		e = list[0]
	}
	return Expr(over, e, false)
}

func init() {
	define := func(src string, f func(ctx *Context, rel *catalog.Relation) (string, error)) {
		types.RegisterFunc(src, func(c *types.Call) (types.Datum, error) {
			ctx, err := callContext(c)
			if err != nil {
				return types.Null, err
			}
			rel, err := ctx.Catalog.Relation(c.Args[0].Oid())
			if err != nil || rel == nil {
				return types.Null, err
			}
			s, err := f(ctx, rel)
			if err != nil || s == "" {
				return types.Null, err
			}
			return types.Text(s), nil
		})
	}
	define("pg_get_partkeydef", func(ctx *Context, rel *catalog.Relation) (string, error) {
		if rel.PartKey == nil {
			return "", nil
		}
		return PartitionKeyDef(ctx, rel, false)
	})
	define("pg_get_partition_constraintdef", func(ctx *Context, rel *catalog.Relation) (string, error) {
		ctx.Pretty = PrettyIndent
		return PartitionConstraintDef(ctx, rel)
	})
	types.RegisterFunc("satisfies_hash_partition", satisfiesHash)
}

// hashCheck is what a call of satisfies_hash_partition keeps between rows.
type hashCheck struct {
	rel *catalog.Relation
	key *partition.Key
}

// satisfiesHash says whether a row with these key values belongs to a hash partition.
func satisfiesHash(c *types.Call) (types.Datum, error) {
	for i := 0; i < 3; i++ {
		if c.Args[i].IsNull() {
			return types.Bool(false), nil
		}
	}
	modulus, remainder := c.Args[1].Int4(), c.Args[2].Int4()
	switch {
	case modulus <= 0:
		return types.Null, pgerr.New(pgerr.InvalidParameterValue, "modulus for hash partition must be an integer value greater than zero")
	case remainder < 0:
		return types.Null, pgerr.New(pgerr.InvalidParameterValue, "remainder for hash partition must be an integer value greater than or equal to zero")
	case remainder >= modulus:
		return types.Null, pgerr.New(pgerr.InvalidParameterValue, "remainder for hash partition must be less than modulus")
	}
	h, err := hashCheckOf(c)
	if err != nil {
		return types.Null, err
	}
	return types.Bool(h.key.HashOf(c.Args[3:])%uint64(modulus) == uint64(remainder)), nil
}

func hashCheckOf(c *types.Call) (*hashCheck, error) {
	oid := c.Args[0].Oid()
	if h, ok := c.Cache.(*hashCheck); ok && h.rel.OID == oid {
		return h, nil
	}
	ctx, err := callContext(c)
	if err != nil {
		return nil, err
	}
	rel, err := ctx.Catalog.Relation(oid)
	if err != nil {
		return nil, err
	}
	if rel == nil {
		return nil, pgerr.Internal("could not open relation with OID %d", oid)
	}
	if rel.PartKey == nil || rel.PartKey.Strategy != partition.Hash {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "\"%s\" is not a hash partitioned table", rel.Name)
	}
	h := &hashCheck{rel: rel}
	if h.key, err = partition.NewKey(ctx.Catalog, ctx.Types, rel); err != nil {
		return nil, err
	}
	if n := len(c.Args) - 3; n != len(h.key.Cols) {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "number of partitioning columns (%d) does not match number of partition keys provided (%d)", len(h.key.Cols), n)
	}
	for i := range h.key.Cols {
		if typ := c.ArgTypes[i+3]; typ != h.key.Cols[i].Type {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "column %d of the partition key has type %s, but supplied value is of type %s", i+1,
				types.FormatType(c.Env, h.key.Cols[i].Type), types.FormatType(c.Env, typ))
		}
	}
	c.Cache = h
	return h, nil
}
