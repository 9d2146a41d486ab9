package catalog

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

//go:embed data/catalogs.gz
var catalogsGz []byte

// Table is a system catalog: its fixed shape, and its initial contents.
type Table struct {
	OID     OID
	Name    string
	Shared  bool
	Desc    *types.TupleDesc
	Indexes []*TableIndex // in OID order
	Toast   OID           // its TOAST table, 0 = none

	colTypes []OID
	text     []byte
	once     sync.Once
	rows     []types.Row

	layoutOnce sync.Once
	compiled   *tuple.Layout
}

// TableIndex is an index of a system catalog.
type TableIndex struct {
	OID        OID
	Name       string
	Table      *Table
	Columns    []int // places in a row
	OpClasses  []OID
	Collations []OID
	Unique     bool
}

var boot struct {
	once   sync.Once
	tables []*Table
	byOID  map[OID]*Table
	index  map[OID]*TableIndex
	mapped map[OID]bool // relations whose storage is not in pg_class
	shared map[OID]bool // relations in shared storage
}

// bootTable gives a catalog by OID; it must be one.
func bootTable(oid OID) *Table {
	t := Catalogs(oid)
	if t == nil {
		panic("catalog: no such system catalog: " + strconv.Itoa(int(oid)))
	}
	return t
}

// Catalogs gives the system catalog with that OID, nil if it is none.
func Catalogs(oid OID) *Table {
	loadBoot()
	return boot.byOID[oid]
}

// AllCatalogs lists the system catalogs in OID order.
func AllCatalogs() []*Table {
	loadBoot()
	return boot.tables
}

func loadBoot() { boot.once.Do(readBoot) }

// readBoot cuts the data into tables and makes their shapes; rows are made on demand.
func readBoot() {
	zr, err := gzip.NewReader(bytes.NewReader(catalogsGz))
	bootMust(err)
	data, err := io.ReadAll(zr)
	bootMust(err)
	boot.byOID, boot.index = map[OID]*Table{}, map[OID]*TableIndex{}
	boot.mapped, boot.shared = map[OID]bool{}, map[OID]bool{}
	for len(data) > 0 {
		end := bytes.Index(data, []byte("\n@"))
		section := data
		if end >= 0 {
			section, data = data[:end+1], data[end+1:]
		} else {
			data = nil
		}
		t := readSection(section)
		boot.tables = append(boot.tables, t)
		boot.byOID[t.OID] = t
	}
	describeTables()
	describeIndexes()
}

// readSection reads the two head lines of a table's section.
func readSection(b []byte) *Table {
	head, rest, _ := strings.Cut(string(b), "\n")
	cols, rows, _ := strings.Cut(rest, "\n")
	f := strings.Fields(head[1:])
	t := &Table{Name: f[0], OID: OID(bootInt(f[1][len("oid="):])), Shared: f[2] == "shared=t", text: []byte(rows)}
	for _, c := range strings.Fields(cols[1:]) {
		_, typ, _ := strings.Cut(c, ":")
		t.colTypes = append(t.colTypes, OID(bootInt(typ)))
	}
	return t
}

// Rows are the table's initial rows. They must not be changed.
func (t *Table) Rows() []types.Row {
	t.once.Do(func() {
		lines := strings.Split(string(t.text), "\n")
		t.text = nil
		t.rows = make([]types.Row, 0, len(lines))
		for _, line := range lines {
			if line != "" {
				t.rows = append(t.rows, t.parseRow(line))
			}
		}
	})
	return t.rows
}

func (t *Table) parseRow(line string) types.Row {
	row := make(types.Row, 0, len(t.colTypes))
	for _, typ := range t.colTypes {
		field, rest, _ := strings.Cut(line, "\t")
		line = rest
		if field == `\N` {
			row = append(row, types.Null)
			continue
		}
		row = append(row, bootColumn(t, row, typ, copyUnescape(field)))
	}
	return row
}

// bootColumn makes the value of the column behind those in row.
func bootColumn(t *Table, row types.Row, typ OID, s string) types.Datum {
	switch {
	case t.OID == PgClassOID && len(row) == ClassRelfrozenxid && s != "0":
		return types.FromRaw(uint64(xact.FirstXID)) // all of the initial contents are frozen
	case t.OID == PgDatabaseOID && len(row) == DatabaseDatfrozenxid:
		return types.FromRaw(uint64(xact.FirstXID))
	case t.OID == PgProcOID && len(row) == ProcProargdefaults:
		return bootDefaults(row, s)
	}
	return bootValue(typ, s)
}

// copyUnescape undoes COPY's backslashes.
func copyUnescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte("bfnrtv", s[i]); at >= 0 {
			b.WriteByte("\b\f\n\r\t\v"[at])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// describeTables makes the catalogs' tuple descriptors of the initial pg_attribute and pg_class.
func describeTables() {
	attrs := map[OID][]types.Row{}
	for _, row := range boot.byOID[PgAttributeOID].Rows() {
		if row[AttributeAttnum].Int2() > 0 {
			rel := row[AttributeAttrelid].Oid()
			attrs[rel] = append(attrs[rel], row) // in attnum order: the data are
		}
	}
	rowType := map[OID]types.Row{}
	for _, row := range boot.byOID[PgClassOID].Rows() {
		rowType[row[ClassOid].Oid()] = row
		if row[ClassRelisshared].Bool() {
			boot.shared[row[ClassOid].Oid()] = true
		}
		if row[ClassRelfilenode].Oid() == 0 && hasStorage(row[ClassRelkind].Char()) {
			boot.mapped[row[ClassOid].Oid()] = true
		}
	}
	for _, t := range boot.tables {
		class := rowType[t.OID]
		t.Toast = class[ClassReltoastrelid].Oid()
		t.Desc = &types.TupleDesc{TypeOID: class[ClassReltype].Oid(), TypMod: -1}
		for _, row := range attrs[t.OID] {
			t.Desc.Attrs = append(t.Desc.Attrs, attrFromRow(row))
		}
	}
}

func describeIndexes() {
	names := map[OID]string{}
	for _, row := range boot.byOID[PgClassOID].Rows() {
		if row[ClassRelkind].Char() == 'i' {
			names[row[ClassOid].Oid()] = row[ClassRelname].Str()
		}
	}
	for _, row := range boot.byOID[PgIndexOID].Rows() {
		t := boot.byOID[row[IndexIndrelid].Oid()]
		if t == nil {
			continue // of a TOAST table
		}
		oid := row[IndexIndexrelid].Oid()
		ix := &TableIndex{OID: oid, Name: names[oid], Table: t, OpClasses: OIDs(row[IndexIndclass]),
			Collations: OIDs(row[IndexIndcollation]), Unique: row[IndexIndisunique].Bool()}
		for _, n := range Int2s(row[IndexIndkey]) {
			ix.Columns = append(ix.Columns, int(n)-1)
		}
		t.Indexes = append(t.Indexes, ix)
		boot.index[oid] = ix
	}
	for _, t := range boot.tables {
		for i := range t.Indexes {
			for j := i; j > 0 && t.Indexes[j].OID < t.Indexes[j-1].OID; j-- {
				t.Indexes[j], t.Indexes[j-1] = t.Indexes[j-1], t.Indexes[j]
			}
		}
	}
}

// bootIndex gives a catalog's index by OID; it must be one.
func bootIndex(oid OID) *TableIndex {
	loadBoot()
	ix := boot.index[oid]
	if ix == nil {
		panic("catalog: no such index: " + strconv.Itoa(int(oid)))
	}
	return ix
}
