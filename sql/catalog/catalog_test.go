package catalog

import (
	"testing"

	"github.com/calfdb/calf/sql/types"
)

func TestBuiltin(t *testing.T) {
	v := Builtin()
	rel, err := v.Relation(PgClassOID)
	if err != nil || rel == nil {
		t.Fatal(rel, err)
	}
	if rel.Name != "pg_class" || len(rel.Desc.Attrs) != 33 || len(rel.Indexes) != 3 || rel.PKIndex != PgClassOidIndexOID {
		t.Errorf("pg_class: %+v", rel)
	}
	procs, err := v.ProcsByName("", "sum")
	if err != nil || len(procs) != 8 {
		t.Errorf("sum: %d functions, %v", len(procs), err)
	}
	ops, err := v.OperatorsByName("", "=")
	if err != nil || len(ops) != 63 {
		t.Errorf("=: %d operators, %v", len(ops), err)
	}
	opc, err := v.DefaultOpClass(BTreeAM, types.VarcharOID)
	if err != nil || opc != 3126 {
		t.Errorf("default operator class of varchar: %d, %v", opc, err)
	}
	op, err := v.AmOp(1976, types.Int4OID, types.Int4OID, 3)
	if err != nil || op != 96 {
		t.Errorf("int4 = int4 in integer_ops: %d, %v", op, err)
	}
	c, err := v.Cast(types.Int4OID, types.Int8OID)
	if err != nil || c == nil || c.Context != 'i' || c.Func != 481 {
		t.Errorf("cast: %+v, %v", c, err)
	}
	if oid, err := v.RelationByName("", "pg_type"); oid != PgTypeOID || err != nil {
		t.Errorf("pg_type: %d, %v", oid, err)
	}
	for _, tab := range AllCatalogs() {
		for _, row := range tab.Rows() {
			if len(row) != len(tab.Desc.Attrs) {
				t.Fatalf("%s: a row of %d columns", tab.Name, len(row))
			}
		}
	}
}

// TestAllDescriptors loads everything there is.
func TestAllDescriptors(t *testing.T) {
	v := Builtin()
	for _, row := range Catalogs(PgProcOID).Rows() {
		p, err := v.Proc(row[ProcOid].Oid())
		if err != nil || p == nil {
			t.Fatal(row[ProcProname].Str(), err)
		}
		if len(p.Defaults) != p.NArgDefaults {
			t.Errorf("%s has %d defaults, not %d", p.Name, len(p.Defaults), p.NArgDefaults)
		}
	}
	for _, row := range Catalogs(PgTypeOID).Rows() {
		if p, err := v.Type(row[TypeOid].Oid()); err != nil || p == nil {
			t.Fatal(row[TypeTypname].Str(), err)
		}
	}
	for _, row := range Catalogs(PgClassOID).Rows() {
		r, err := v.Relation(row[ClassOid].Oid())
		if err != nil || r == nil {
			t.Fatal(row[ClassRelname].Str(), err)
		}
		if r.Kind == 'i' && (r.Index == nil || len(r.Index.OpFamilies) != r.Index.NumKeys) {
			t.Errorf("index %s: %+v", r.Name, r.Index)
		}
	}
}
