package catalog

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
)

// Functions about sizes and places of relations and databases. Sizes count stored pages at 8192 bytes, as PostgreSQL's files would be.

func init() {
	viewFunc("pg_relation_size", func(v *View, c *types.Call) (types.Datum, error) {
		forks := map[string]uint8{"main": pagestore.MainFork, "fsm": pagestore.FSMFork, "vm": pagestore.VMFork, "init": pagestore.InitFork}
		fork, ok := forks[c.Args[1].Str()]
		if !ok {
			return types.Null, pgerr.New(pgerr.InvalidParameterValue, "invalid fork name").
				WithHint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".")
		}
		return v.sizeOf(c.Args[0].Oid(), func(r *Relation) (int64, error) {
			if fork == pagestore.InitFork {
				return 0, nil // calf keeps wide values there
			}
			return v.forkSize(r.Storage, r.Persistence, fork)
		})
	})
	viewFunc(NativeName("pg_relation_size", 2325), func(v *View, c *types.Call) (types.Datum, error) {
		return v.sizeOf(c.Args[0].Oid(), func(r *Relation) (int64, error) { return v.forkSize(r.Storage, r.Persistence, pagestore.MainFork) })
	})
	viewFunc("pg_table_size", func(v *View, c *types.Call) (types.Datum, error) { return v.sizeOf(c.Args[0].Oid(), v.tableSize) })
	viewFunc("pg_indexes_size", func(v *View, c *types.Call) (types.Datum, error) { return v.sizeOf(c.Args[0].Oid(), v.indexesSize) })
	viewFunc("pg_total_relation_size", func(v *View, c *types.Call) (types.Datum, error) {
		return v.sizeOf(c.Args[0].Oid(), func(r *Relation) (int64, error) {
			a, err := v.tableSize(r)
			if err != nil {
				return 0, err
			}
			b, err := v.indexesSize(r)
			return a + b, err
		})
	})
	viewFunc("pg_database_size_oid", func(v *View, c *types.Call) (types.Datum, error) { return v.databaseSize(c.Args[0].Oid()) })
	viewFunc("pg_database_size_name", func(v *View, c *types.Call) (types.Datum, error) {
		db, err := v.DatabaseByName(c.Args[0].Str())
		if err != nil {
			return types.Null, err
		}
		if db == nil {
			return types.Null, pgerr.New(pgerr.UndefinedDatabase, "database \"%s\" does not exist", c.Args[0].Str())
		}
		return v.databaseSize(db.OID)
	})
	viewFunc("pg_relation_filenode", func(v *View, c *types.Call) (types.Datum, error) {
		r, err := v.Relation(c.Args[0].Oid())
		if r == nil || err != nil || !hasStorage(r.Kind) {
			return types.Null, err
		}
		return types.Oid(OID(r.Storage.Rel)), nil
	})
	viewFunc("pg_relation_filepath", func(v *View, c *types.Call) (types.Datum, error) {
		r, err := v.Relation(c.Args[0].Oid())
		if r == nil || err != nil || !hasStorage(r.Kind) {
			return types.Null, err
		}
		return types.Text(r.Storage.String()), nil
	})
	types.RegisterFunc("pg_tablespace_location", func(*types.Call) (types.Datum, error) { return types.Text(""), nil })
	types.RegisterFunc("pg_encoding_max_length_sql", func(c *types.Call) (types.Datum, error) {
		n := c.Args[0].Int4()
		if n < 0 || int(n) >= len(encodingMaxLength) {
			return types.Null, nil
		}
		return types.Int4(int32(encodingMaxLength[n] - '0')), nil
	})
	types.RegisterFunc("PG_encoding_to_char", func(c *types.Call) (types.Datum, error) { return types.Text(encodingName(c.Args[0].Int4())), nil })
	types.RegisterFunc("PG_char_to_encoding", func(c *types.Call) (types.Datum, error) {
		for i, n := range encodingNames {
			if n == c.Args[0].Str() || n == "UTF8" && (c.Args[0].Str() == "utf8" || c.Args[0].Str() == "unicode") {
				return types.Int4(int32(i)), nil
			}
		}
		return types.Int4(-1), nil
	})
}

// sizeOf gives the size of a relation, null when it is gone.
func (v *View) sizeOf(oid OID, size func(*Relation) (int64, error)) (types.Datum, error) {
	r, err := v.Relation(oid)
	if r == nil || err != nil {
		return types.Null, err
	}
	n, err := size(r)
	return types.Int8(n), err
}

// forkSize is the size of a fork in bytes.
func (v *View) forkSize(id pagestore.RelID, persistence byte, fork uint8) (int64, error) {
	if id.Rel == 0 || fork == pagestore.FSMFork {
		return 0, nil
	}
	r, err := v.cluster.st.Heap.Pool().Open(id, fork, persistence == 't')
	if err != nil {
		return 0, err
	}
	return int64(r.NumBlocks()) * pagestore.PageSize, nil
}

// tableSize counts rows, wide values and the visibility map.
func (v *View) tableSize(r *Relation) (int64, error) {
	total := int64(0)
	for _, fork := range []uint8{pagestore.MainFork, pagestore.VMFork, pagestore.InitFork} {
		n, err := v.forkSize(r.Storage, r.Persistence, fork)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func (v *View) indexesSize(r *Relation) (int64, error) {
	total := int64(0)
	for _, ix := range r.Indexes {
		n, err := v.forkSize(ix.Storage, r.Persistence, pagestore.MainFork)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// databaseSize adds up the relations of a database; of another than the session's own, its stored pages can't be told apart cheaply.
func (v *View) databaseSize(db OID) (types.Datum, error) {
	if db != v.db.OID {
		return types.Null, pgerr.NotSupported("the size of a database that the session is not connected to")
	}
	total := int64(0)
	var oids []OID
	err := v.ScanAll(PgClassOID, func(_ types.TID, row types.Row) (bool, error) {
		if hasStorage(row[ClassRelkind].Char()) && !row[ClassRelisshared].Bool() {
			oids = append(oids, row[ClassOid].Oid())
		}
		return true, nil
	})
	for _, oid := range oids {
		r, rerr := v.Relation(oid)
		if rerr != nil {
			return types.Null, rerr
		}
		if r == nil {
			continue
		}
		n, serr := v.tableSize(r)
		if serr != nil {
			return types.Null, serr
		}
		total += n
	}
	return types.Int8(total), err
}

// encodingMaxLength has the most bytes of a character, by encoding number.
const encodingMaxLength = "133343441111111111111111111111111112222432"

// encodingNames are PostgreSQL's encodings by number.
var encodingNames = []string{"SQL_ASCII", "EUC_JP", "EUC_CN", "EUC_KR", "EUC_TW", "EUC_JIS_2004", "UTF8", "MULE_INTERNAL", "LATIN1", "LATIN2",
	"LATIN3", "LATIN4", "LATIN5", "LATIN6", "LATIN7", "LATIN8", "LATIN9", "LATIN10", "WIN1256", "WIN1258", "WIN866", "WIN874", "KOI8R",
	"WIN1251", "WIN1252", "ISO_8859_5", "ISO_8859_6", "ISO_8859_7", "ISO_8859_8", "WIN1250", "WIN1253", "WIN1254", "WIN1255", "WIN1257",
	"KOI8U", "SJIS", "BIG5", "GBK", "UHC", "GB18030", "JOHAB", "SHIFT_JIS_2004"}

func encodingName(n int32) string {
	if n < 0 || int(n) >= len(encodingNames) {
		return ""
	}
	return encodingNames[n]
}
