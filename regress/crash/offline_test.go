package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/index/btree"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

// checkCopy runs all checkers over a copy of what the kill left: the store, every heap and index of every database, the catalogs too. A copy,
// because opening recovers, and that is the server's to do.
func (s *server) checkCopy() error {
	if *postgresBin != "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "calf-crash")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(filepath.Join(dir, "store"), os.DirFS(filepath.Join(s.dir, "data", "store"))); err != nil {
		return err
	}
	return checkStore(filepath.Join(dir, "store"))
}

func checkStore(dir string) (err error) {
	store, err := pagestore.Open(pagestore.Options{Dir: dir, MinFreeDisk: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	pool := buffer.New(store, 4096)
	defer pool.Close()
	xm, err := xact.Open(store)
	if err != nil {
		return err
	}
	engine := heap.New(pool, xm)
	cluster, err := catalog.Open(catalog.Storage{Store: store, Heap: engine, Xact: xm,
		AMs: map[catalog.OID]index.AM{catalog.BTreeAM: btree.New(pool, xm)}})
	if err != nil {
		return err
	}
	defer cluster.Close()
	proc := xm.NewProc(nil)
	for _, db := range []catalog.OID{catalog.Template1DB, catalog.PostgresDB} {
		if err := checkDatabase(cluster, proc, db); err != nil {
			return fmt.Errorf("database %d: %w", db, err)
		}
	}
	return pool.CheckNoPins()
}

func checkDatabase(cluster *catalog.Cluster, proc *xact.Proc, db catalog.OID) error {
	s := &heap.Session{Tx: proc.Begin(xact.ReadCommitted, false)}
	defer s.Tx.Abort()
	view, err := cluster.NewView(db, s)
	if err != nil {
		return err
	}
	env := &types.Env{Catalog: view.TypeCatalog()}
	view.SetEnv(env)
	return view.Verify(env)
}
