package catalog

import (
	"strings"
	"testing"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// TestVerify: a bootstrapped database is sound, and one in which an index misses a row is not.
func TestVerify(t *testing.T) {
	f := newFixture(t)
	for _, db := range []OID{Template1DB, PostgresDB} {
		s := f.session(db)
		s.begin()
		if err := s.Verify(s.Env()); err != nil {
			t.Errorf("database %d: %v", db, err)
		}
		s.commit()
	}
	s := f.session(PostgresDB)
	s.begin()
	rel, err := s.Relation(PgNamespaceOID)
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.OpenIndex(s.Env(), rel, rel.Indexes[0])
	if err != nil {
		t.Fatal(err)
	}
	var gone types.TID
	isDead := func(tid types.TID) bool {
		if !gone.IsValid() {
			gone = tid
		}
		return tid == gone
	}
	if stats, err := x.BulkDelete(&index.VacuumArgs{}, isDead, nil); err != nil || stats.TuplesRemoved != 1 {
		t.Fatal(stats, err)
	}
	if err := s.Verify(s.Env()); err == nil || !strings.Contains(err.Error(), "has no entry") {
		t.Errorf("an index without a row's entry: %v", err)
	}
	s.commit()
}
