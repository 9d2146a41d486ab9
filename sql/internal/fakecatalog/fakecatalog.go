// Package fakecatalog is a catalog for tests of analysis, rewriting and deparsing: PostgreSQL's initial contents, and the relations, types and functions of
// schema.sql as a PostgreSQL 15 described them (schema.json; sql/analyze's oracle test records it). Tests only.
package fakecatalog

import (
	_ "embed"
	"encoding/json"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// OID is a catalog object's name.
type OID = types.OID

//go:embed schema.json
var schema []byte

// recorded is a user-made object of the schema, as read from the oracle.
type recorded struct {
	Relations []*catalog.Relation
	Types     []*catalog.Type
	Procs     []*catalog.Proc
}

// Catalog is the built-in catalog and the recorded objects.
type Catalog struct {
	*catalog.View
	rels  map[OID]*catalog.Relation
	types map[OID]*catalog.Type
	procs map[OID]*catalog.Proc
}

// Load makes the catalog.
func Load() *Catalog {
	var rec recorded
	if err := json.Unmarshal(schema, &rec); err != nil {
		panic(err)
	}
	f := &Catalog{View: catalog.Builtin(), rels: map[OID]*catalog.Relation{}, types: map[OID]*catalog.Type{}, procs: map[OID]*catalog.Proc{}}
	for _, r := range rec.Relations {
		f.rels[r.OID] = r
		for _, ix := range r.Indexes {
			ix.TableOID = r.OID
		}
	}
	for _, ty := range rec.Types {
		f.types[ty.OID] = ty
	}
	for _, p := range rec.Procs {
		f.procs[p.OID] = p
		for range p.NArgDefaults {
			p.Defaults = append(p.Defaults, &query.Const{TypeOID: types.Int4OID, Mod: -1, Value: types.Int4(0), Loc: -1})
		}
	}
	f.View.SetEnv(&types.Env{Catalog: f.TypeCatalog()})
	return f
}

func (f *Catalog) Relation(oid OID) (*catalog.Relation, error) {
	if r := f.rels[oid]; r != nil {
		return r, nil
	}
	return f.View.Relation(oid)
}

func (f *Catalog) RelationByName(schema, name string) (OID, error) {
	if schema == "" || schema == "public" {
		for _, r := range f.rels {
			if r.Name == name {
				return r.OID, nil
			}
		}
	}
	return f.View.RelationByName(schema, name)
}

func (f *Catalog) Type(oid OID) (*catalog.Type, error) {
	if t := f.types[oid]; t != nil {
		return t, nil
	}
	return f.View.Type(oid)
}

func (f *Catalog) TypeByName(schema, name string) (OID, error) {
	for _, t := range f.types {
		if t.Name == name {
			return t.OID, nil
		}
	}
	return f.View.TypeByName(schema, name)
}

func (f *Catalog) Proc(oid OID) (*catalog.Proc, error) {
	if p := f.procs[oid]; p != nil {
		return p, nil
	}
	return f.View.Proc(oid)
}

func (f *Catalog) ProcsByName(schema, name string) ([]*catalog.Proc, error) {
	for _, p := range f.procs {
		if p.Name == name {
			return []*catalog.Proc{p}, nil
		}
	}
	return f.View.ProcsByName(schema, name)
}

// What is recorded is in schema public, which the search path has.

func (f *Catalog) RelationVisible(oid OID) bool {
	return f.rels[oid] != nil || f.View.RelationVisible(oid)
}
func (f *Catalog) TypeVisible(oid OID) bool { return f.types[oid] != nil || f.View.TypeVisible(oid) }
func (f *Catalog) ProcVisible(oid OID) bool { return f.procs[oid] != nil || f.View.ProcVisible(oid) }

// fakeTypes answers for the recorded types what package types asks.
type fakeTypes struct {
	types.Catalog
	f *Catalog
}

func (f *Catalog) TypeCatalog() types.Catalog { return fakeTypes{f.View.TypeCatalog(), f} }

func (f fakeTypes) TypeByOID(oid OID) (*types.TypeInfo, bool) {
	t := f.f.types[oid]
	if t == nil {
		return f.Catalog.TypeByOID(oid)
	}
	src := func(o OID) string {
		if p, _ := f.f.Proc(o); p != nil {
			return p.Src
		}
		return ""
	}
	return &types.TypeInfo{OID: t.OID, Name: t.Name, Namespace: t.Namespace, Len: t.Len, ByVal: t.ByVal, Align: t.Align, Storage: t.Storage, Kind: t.Kind,
		Category: t.Category, Delim: t.Delim, Elem: t.Elem, Array: t.Array, RelID: t.RelID, BaseType: t.BaseType, TypMod: t.TypMod, Collation: t.Collation,
		Input: src(t.Input), Output: src(t.Output), Subscript: src(t.Subscript)}, true
}

// Lookup gives the catalog itself.
func (f fakeTypes) Lookup() catalog.Lookup { return f.f }

func (f fakeTypes) TypeIsVisible(oid OID) bool { return true }

func (f fakeTypes) EnumValues(oid OID) (out []types.EnumValue, err error) {
	for _, l := range f.f.types[oid].EnumLabels {
		out = append(out, types.EnumValue{OID: l.OID, Label: l.Label, Sort: l.Sort})
	}
	return out, nil
}

func (f fakeTypes) EnumValueByOID(value OID) (types.EnumValue, OID, bool) {
	for oid, t := range f.f.types {
		for _, l := range t.EnumLabels {
			if l.OID == value {
				return types.EnumValue{OID: l.OID, Label: l.Label, Sort: l.Sort}, oid, true
			}
		}
	}
	return types.EnumValue{}, 0, false
}

func (f fakeTypes) CheckDomain(OID, types.Datum) error { return nil }

func (f fakeTypes) RowType(typ OID, mod int32) (*types.TupleDesc, error) {
	if t := f.f.types[typ]; t != nil && t.RelID != 0 {
		return f.f.rels[t.RelID].Desc, nil
	}
	return f.Catalog.RowType(typ, mod)
}

// Env is the environment of types over this catalog.
func (f *Catalog) Env() *types.Env { return &types.Env{Catalog: f.TypeCatalog()} }

// OpenRelation finds a relation by name, as analysis asks.
func (f *Catalog) OpenRelation(schema, name string, mode int) (*catalog.Relation, error) {
	oid, err := f.RelationByName(schema, name)
	if err != nil || oid == 0 {
		return nil, err
	}
	return f.Relation(oid)
}

// SetView gives a view its query.
func (f *Catalog) SetView(name string, q *query.Query) {
	oid, _ := f.RelationByName("", name)
	f.rels[oid].Rules = []*catalog.Rule{{Name: "_RETURN", Event: '1', Enabled: 'O', Instead: true, Actions: []*query.Query{q}}}
}
