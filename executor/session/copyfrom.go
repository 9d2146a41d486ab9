package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/rewrite"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// copy is COPY.
func (c *command) copy(n *pg_query.CopyStmt) (string, error) {
	o, err := parseCopyOptions(n)
	if err != nil {
		return "", err
	}
	if n.IsProgram {
		return "", pgerr.NotSupported("COPY PROGRAM")
	}
	if n.Filename != "" {
		if err := c.s.mayCopyFile(n.IsFrom); err != nil {
			return "", err
		}
	}
	var count int64
	if n.IsFrom {
		count, err = c.copyFrom(n, o)
	} else {
		count, err = c.copyTo(n, o)
	}
	return string(appendTag(nil, "COPY ", count)), err
}

// mayCopyFile refuses who may not touch the server's files.
func (s *Session) mayCopyFile(read bool) error {
	const readServerFiles, writeServerFiles = 4569, 4570 // predefined roles
	role, verb, way := types.OID(writeServerFiles), "write", "to"
	if read {
		role, verb, way = readServerFiles, "read", "from"
	}
	ok, err := s.view.HasPrivsOfRole(s.view.User(), role)
	if ok || err != nil {
		return err
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser or have privileges of the pg_%s_server_files role to COPY %s a file", verb, way).
		WithHint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.")
}

// checkColumns refuses COPY of a table, or of the named columns of it, that the current user lacks a privilege on.
func (s *Session) checkColumns(rel *catalog.Relation, names []*pg_query.Node, priv uint32) error {
	cols, err := copyColumns(rel, names)
	if err != nil {
		return err
	}
	set := map[int]bool{}
	for _, c := range cols {
		set[int(c)] = true
	}
	rte := &query.RTE{Kind: query.RTERelation, RelOID: rel.OID, RequiredPerms: priv}
	if priv == query.AclInsert {
		rte.InsertedCols = set
	} else {
		rte.SelectedCols = set
	}
	return executor.CheckPermissions(s.view, []*query.RTE{rte})
}

// copyLoader is one COPY FROM.
type copyLoader struct {
	s         *Session
	rel       *catalog.Relation
	o         *copyOptions
	lines     *copyLines
	cols      []int16
	ios       []*types.IO
	notNull   []bool // FORCE_NOT_NULL
	forceNull []bool
	defaults  []expr.Eval // by attribute, nil = none or the column is in the data
	where     expr.Qual
	ins       *executor.BulkInsert
	row       types.Row
	col       int   // column being read, -1 = none
	lastLine  int64 // of the last row that was added
}

func (c *command) copyFrom(n *pg_query.CopyStmt, o *copyOptions) (int64, error) {
	s := c.s
	rel, err := s.openRelation(n.Relation.Schemaname, n.Relation.Relname, int(lock.RowExclusive))
	if err != nil {
		return 0, err
	}
	if rel == nil {
		return 0, undefinedRelation(n.Relation)
	}
	if err := s.checkColumns(rel, n.Attlist, query.AclInsert); err != nil {
		return 0, err
	}
	if s.backend.Heap.Tx.ReadOnly && rel.Persistence != 't' {
		return 0, readOnlyError("COPY FROM")
	}
	l := &copyLoader{s: s, rel: rel, o: o, col: -1}
	if err := l.prepare(n); err != nil {
		return 0, err
	}
	src, done, err := c.copySource(n, o, len(l.cols))
	if err != nil {
		return 0, err
	}
	defer done()
	if rel.Kind != 'r' && rel.Kind != 'p' { // the client may send by now: the data goes with the error
		return 0, copyTargetError(rel)
	}
	if err := l.checkFreeze(); err != nil {
		return 0, err
	}
	l.lines = newCopyLines(o, src)
	if o.binary {
		if err := l.lines.binaryHeader(); err != nil {
			return 0, err
		}
	}
	s.backend.Heap.Tx.UseCID()
	s.backend.After.Begin()
	count, err := l.load()
	if err == nil {
		err = l.ins.AfterStatement()
	}
	if err != nil {
		l.ins.Abort()
		s.backend.After.Drop()
		return 0, err
	}
	return count, s.backend.After.End()
}

func copyTargetError(rel *catalog.Relation) error {
	what := map[byte]string{'v': "view", 'm': "materialized view", 'S': "sequence", 'f': "foreign table"}[rel.Kind]
	switch rel.Kind {
	case 'f':
		return pgerr.NotSupported("COPY FROM to a %s", what)
	case 'v':
		return pgerr.New(pgerr.WrongObjectType, "cannot copy to view \"%s\"", rel.Name).
			WithHint("To enable copying to a view, provide an INSTEAD OF INSERT trigger.")
	case 'm', 'S':
		return pgerr.New(pgerr.WrongObjectType, "cannot copy to %s \"%s\"", what, rel.Name)
	}
	return pgerr.New(pgerr.WrongObjectType, "cannot copy to non-table relation \"%s\"", rel.Name)
}

// copySource opens the input: the client or a file.
func (c *command) copySource(n *pg_query.CopyStmt, o *copyOptions, columns int) (io.Reader, func(), error) {
	if n.Filename != "" {
		f, err := os.Open(n.Filename)
		if err != nil {
			return nil, nil, fileError(err, n.Filename, "reading")
		}
		return f, func() { f.Close() }, nil
	}
	r, err := c.s.conn.CopyIn(o.wireFormat(), columns, c.s.backend.Interrupted)
	return r, func() {}, err
}

func fileError(err error, name, what string) error {
	code := pgerr.Code(pgerr.IoError)
	text := err.Error()
	if sys := syscall.Errno(0); errors.As(err, &sys) {
		text = sys.Error()
		text = strings.ToUpper(text[:1]) + text[1:] // as C words it
	}
	switch {
	case os.IsNotExist(err):
		code, text = pgerr.UndefinedFile, "No such file or directory"
	case os.IsPermission(err):
		code, text = pgerr.InsufficientPrivilege, "Permission denied"
	}
	e := pgerr.New(code, "could not open file \"%s\" for %s: %s", name, what, text)
	if code == pgerr.IoError {
		return e
	}
	command, verb := "FROM", "read"
	if what == "writing" {
		command, verb = "TO", "write"
	}
	return e.WithHint("COPY %s instructs the PostgreSQL server process to %s a file. "+
		"You may want a client-side facility such as psql's \\copy.", command, verb)
}

func (l *copyLoader) prepare(n *pg_query.CopyStmt) error {
	var err error
	if l.cols, err = copyColumns(l.rel, n.Attlist); err != nil {
		return err
	}
	if l.notNull, err = columnFlags(l.rel, l.cols, l.o.forceNotNull, "FORCE_NOT_NULL"); err != nil {
		return err
	}
	if l.forceNull, err = columnFlags(l.rel, l.cols, l.o.forceNull, "FORCE_NULL"); err != nil {
		return err
	}
	table, err := l.s.openTable(l.rel)
	if err != nil {
		return err
	}
	if l.ins, err = executor.NewBulkInsert(l.s.backend, table, heap.InsertOpts{Frozen: l.o.freeze}); err != nil {
		return err
	}
	l.ins.Columns(l.cols)
	l.row = make(types.Row, len(l.rel.Desc.Attrs))
	for _, col := range l.cols {
		io, err := types.IOFor(l.s.backend.Env, l.rel.Desc.Attrs[col-1].TypeOID)
		if err != nil {
			return err
		}
		if l.o.binary {
			if err := io.CheckReceive(l.s.backend.Env); err != nil {
				return err
			}
		}
		l.ios = append(l.ios, io)
	}
	if err := l.prepareDefaults(); err != nil {
		return err
	}
	if n.WhereClause == nil {
		return nil
	}
	e, err := analyze.Expr(l.s.analyzeEnv(nil), n.WhereClause, analyze.ExprCopyWhere, analyze.ExprTarget{Relation: l.rel})
	if err != nil {
		return err
	}
	l.where, err = l.ins.Compiler().CompileQual([]query.Expr{e})
	return err
}

// checkFreeze refuses FREEZE where somebody could see the rows before the transaction commits, or after it aborts.
func (l *copyLoader) checkFreeze() error {
	if !l.o.freeze {
		return nil
	}
	if l.rel.Kind == 'p' {
		return pgerr.New(pgerr.FeatureNotSupported, "cannot perform COPY FREEZE on a partitioned table")
	}
	for _, p := range l.s.portals {
		if p.cursor {
			return pgerr.New(pgerr.InvalidTransactionState, "cannot perform COPY FREEZE because of prior transaction activity")
		}
	}
	if !l.s.view.IsNewStorage(l.rel, true) {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState,
			"cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction")
	}
	return nil
}

// prepareDefaults compiles the defaults of the columns that the data lacks.
func (l *copyLoader) prepareDefaults() error {
	l.defaults = make([]expr.Eval, len(l.row))
	given := map[int16]bool{}
	for _, c := range l.cols {
		given[c] = true
	}
	for i := range l.rel.Desc.Attrs {
		a := &l.rel.Desc.Attrs[i]
		if a.Dropped || given[a.Num] || a.Generated != 0 {
			continue
		}
		e := l.rel.Defaults[a.Num]
		if e == nil || a.Identity != 0 {
			var err error
			if e, err = rewrite.ColumnDefault(l.s.analyzeEnv(nil), l.rel, a); err != nil {
				return err
			}
		}
		if e == nil {
			continue
		}
		eval, err := l.ins.Compiler().Compile(e)
		if err != nil {
			return err
		}
		l.defaults[i] = eval
	}
	return nil
}

// load reads all rows.
func (l *copyLoader) load() (int64, error) {
	if err := l.ins.BeforeStatement(); err != nil {
		return 0, err
	}
	if l.o.header {
		if err := l.readHeader(); err != nil {
			return 0, l.at(err, 0)
		}
	}
	if l.rel.Kind == 'r' && l.s.view.IsNewStorage(l.rel, false) {
		if err := l.ins.LoadPrivately(); err != nil {
			return 0, err
		}
	}
	for {
		ok, err := l.nextLine()
		if err != nil {
			return 0, l.at(err, 0)
		}
		if !ok {
			break
		}
		if err := l.loadLine(); err != nil {
			return 0, err
		}
	}
	if err := l.ins.Finish(); err != nil {
		return 0, pgerr.From(err).WithContext("COPY %s, line %d", l.rel.Name, l.lastLine-int64(l.ins.Behind()))
	}
	return l.ins.Count(), nil
}

func (l *copyLoader) nextLine() (bool, error) {
	l.col = -1
	if l.o.binary {
		return l.lines.nextBinary(len(l.cols))
	}
	return l.lines.next()
}

func (l *copyLoader) readHeader() error {
	ok, err := l.lines.next()
	if err != nil || !ok || !l.o.headerMatch {
		return err
	}
	if err := l.lines.split(); err != nil {
		return err
	}
	if len(l.lines.fields) != len(l.cols) {
		return pgerr.New(pgerr.BadCopyFileFormat, "wrong number of fields in header line: got %d, expected %d", len(l.lines.fields), len(l.cols))
	}
	for i, f := range l.lines.fields {
		if want := l.rel.Desc.Attrs[l.cols[i]-1].Name; string(f.b) != want {
			return pgerr.New(pgerr.BadCopyFileFormat, "column name mismatch in header line field %d: got \"%s\", expected \"%s\"", i+1, f.b, want)
		}
	}
	return nil
}

func (l *copyLoader) loadLine() error {
	l.col = -1
	if !l.o.binary {
		if err := types.CheckUTF8(l.lines.raw); err != nil {
			return l.at(err, 0)
		}
	}
	if err := l.readRow(); err != nil {
		return l.at(err, 0)
	}
	l.col = -1
	if l.where != nil {
		ctx := l.ins.Context()
		ctx.Scan = l.row
		ok, err := l.where(ctx)
		if err != nil || !ok {
			return l.atIf(err)
		}
	}
	l.lastLine = l.lines.line
	if err := l.ins.Add(l.row); err != nil {
		return l.at(err, l.ins.Behind())
	}
	return nil
}

// readRow turns the line's fields into a row of all columns.
func (l *copyLoader) readRow() error {
	for i := range l.row {
		l.row[i] = types.Null
	}
	read := l.readFields
	if l.o.binary {
		read = l.readBinaryFields
	}
	if err := read(); err != nil {
		return err
	}
	return l.addDefaults()
}

// readFields decodes the fields of a line of text or csv.
func (l *copyLoader) readFields() error {
	if err := l.lines.split(); err != nil {
		return err
	}
	fields := l.lines.fields
	if len(l.cols) == 0 && len(fields) == 1 && len(fields[0].b) == 0 {
		fields = nil
	}
	if len(fields) > len(l.cols) {
		return pgerr.New(pgerr.BadCopyFileFormat, "extra data after last expected column")
	}
	for i, col := range l.cols {
		l.col = i
		if i >= len(fields) {
			return pgerr.New(pgerr.BadCopyFileFormat, "missing data for column \"%s\"", l.rel.Desc.Attrs[col-1].Name)
		}
		f := &fields[i]
		if l.notNull[i] {
			f.null = false
		}
		if l.forceNull[i] && f.quoted && string(f.b) == l.o.null {
			f.null = true
		}
		if f.null {
			if _, err := l.ios[i].InputNull(l.s.backend.Env); err != nil {
				return err
			}
			continue
		}
		d, err := l.ios[i].Input(l.s.backend.Env, types.Bytes(f.b).Str(), l.rel.Desc.Attrs[col-1].TypMod)
		if err != nil {
			return err
		}
		l.row[col-1] = d
	}
	l.col = -1
	return nil
}

func (l *copyLoader) addDefaults() error {
	ctx := l.ins.Context()
	for i, eval := range l.defaults {
		if eval == nil {
			continue
		}
		d, err := eval(ctx)
		if err != nil {
			return err
		}
		l.row[i] = d
	}
	return nil
}

func (l *copyLoader) atIf(err error) error {
	if err == nil {
		return nil
	}
	return l.at(err, 0)
}

// at adds the CONTEXT that says where in the data an error came from.
func (l *copyLoader) at(err error, behind int) error {
	e := *pgerr.From(err)
	if l.o.binary {
		return l.atBinary(&e, behind)
	}
	if e.Severity == "FATAL" || e.Code == pgerr.QueryCanceled {
		return e.WithContext("COPY %s, line %d", l.rel.Name, l.lines.line+1)
	}
	line := l.lines.line - int64(behind)
	switch {
	case behind > 0:
		return e.WithContext("COPY %s, line %d", l.rel.Name, line)
	case l.col >= 0 && l.col < len(l.lines.fields) && !l.lines.fields[l.col].null:
		return e.WithContext("COPY %s, line %d, column %s: \"%s\"", l.rel.Name, line, l.rel.Desc.Attrs[l.cols[l.col]-1].Name, cut(l.lines.fields[l.col].b))
	case l.col >= 0 && l.col < len(l.lines.fields):
		return e.WithContext("COPY %s, line %d, column %s: null input", l.rel.Name, line, l.rel.Desc.Attrs[l.cols[l.col]-1].Name)
	}
	return e.WithContext("COPY %s, line %d: \"%s\"", l.rel.Name, line, cut(l.lines.raw))
}

func (l *copyLoader) atBinary(e *pgerr.Error, behind int) error {
	line := l.lines.line - int64(behind)
	if l.col >= 0 && behind == 0 {
		return e.WithContext("COPY %s, line %d, column %s", l.rel.Name, line, l.rel.Desc.Attrs[l.cols[l.col]-1].Name)
	}
	return e.WithContext("COPY %s, line %d", l.rel.Name, line)
}

// cut shortens data that an error shows, as PostgreSQL does.
func cut(b []byte) string {
	if len(b) <= 100 {
		return string(b)
	}
	n := 100
	for n > 0 && b[n]&0xc0 == 0x80 {
		n--
	}
	return fmt.Sprintf("%s...", b[:n])
}
