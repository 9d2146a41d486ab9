package session

import (
	"bufio"
	"os"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// copyWriter writes rows in COPY's text, csv or binary format.
type copyWriter struct {
	s     *Session
	o     *copyOptions
	ios   []*types.IO
	force []bool        // FORCE_QUOTE
	file  *bufio.Writer // nil: the client
	cell  []byte
	buf   []byte
	count int64
}

func (c *command) copyTo(n *pg_query.CopyStmt, o *copyOptions) (int64, error) {
	w := &copyWriter{s: c.s, o: o}
	source, names, err := c.copyQuery(n)
	if err != nil {
		return 0, err
	}
	for _, f := range source.shape.fields {
		names = append(names, f.Name)
	}
	w.ios = source.shape.ios
	if err := w.setForce(names); err != nil {
		return 0, err
	}
	done, err := w.open(n.Filename, len(w.ios))
	if err != nil {
		return 0, err
	}
	if o.binary {
		for _, io := range w.ios {
			if err := io.CheckSend(c.s.backend.Env); err != nil {
				return 0, err
			}
		}
	}
	if o.header {
		if err := w.header(names); err != nil {
			return 0, err
		}
	}
	plans, err := source.source.Get(c.s.planEnv(), c.params)
	if err != nil {
		return 0, err
	}
	if _, err := c.s.runStatements(source, plans, c.params, w); err != nil {
		return 0, err
	}
	if o.binary {
		if err := w.finishBinary(); err != nil {
			return 0, err
		}
	}
	return w.count, done()
}

// copyQuery gives the prepared query whose rows are copied: the one in parentheses, or a SELECT of the table's columns.
func (c *command) copyQuery(n *pg_query.CopyStmt) (*prepared, []string, error) {
	s := c.s
	node := n.Query
	if node == nil {
		rel, err := s.openRelation(n.Relation.Schemaname, n.Relation.Relname, int(lock.AccessShare))
		if err != nil {
			return nil, nil, err
		}
		if rel == nil {
			return nil, nil, undefinedRelation(n.Relation)
		}
		if err := s.checkColumns(rel, n.Attlist, query.AclSelect); err != nil {
			return nil, nil, err
		}
		switch rel.Kind {
		case 'r':
		case 'v':
			return nil, nil, pgerr.New(pgerr.WrongObjectType, "cannot copy from view \"%s\"", rel.Name).WithHint("Try the COPY (SELECT ...) TO variant.")
		case 'm':
			return nil, nil, pgerr.New(pgerr.WrongObjectType, "cannot copy from materialized view \"%s\"", rel.Name).WithHint("Try the COPY (SELECT ...) TO variant.")
		case 'S':
			return nil, nil, pgerr.New(pgerr.WrongObjectType, "cannot copy from sequence \"%s\"", rel.Name)
		case 'p':
			return nil, nil, pgerr.New(pgerr.WrongObjectType, "cannot copy from partitioned table \"%s\"", rel.Name).WithHint("Try the COPY (SELECT ...) TO variant.")
		default:
			return nil, nil, pgerr.New(pgerr.WrongObjectType, "cannot copy from non-table relation \"%s\"", rel.Name)
		}
		cols, err := copyColumns(rel, n.Attlist)
		if err != nil {
			return nil, nil, err
		}
		node = selectColumns(n.Relation, rel.Desc, cols)
	}
	p := s.newPrepared("", c.p.text, &parse.Stmt{Node: node, Location: c.p.stmt.Location, Len: c.p.stmt.Len}, nil)
	if sel := node.GetSelectStmt(); sel != nil && sel.IntoClause != nil {
		return nil, nil, pgerr.New(pgerr.FeatureNotSupported, "COPY (SELECT INTO) is not supported")
	}
	a, err := s.analyze(p)
	if err != nil {
		return nil, nil, err
	}
	if a.Result == nil {
		return nil, nil, pgerr.New(pgerr.FeatureNotSupported, "COPY query must have a RETURNING clause")
	}
	return p, nil, nil
}

// selectColumns makes the parse tree of SELECT cols FROM ONLY rel.
func selectColumns(rv *pg_query.RangeVar, desc *types.TupleDesc, cols []int16) *pg_query.Node {
	only := &pg_query.RangeVar{Schemaname: rv.Schemaname, Relname: rv.Relname, Relpersistence: rv.Relpersistence, Location: rv.Location}
	sel := &pg_query.SelectStmt{FromClause: []*pg_query.Node{{Node: &pg_query.Node_RangeVar{RangeVar: only}}},
		LimitOption: pg_query.LimitOption_LIMIT_OPTION_DEFAULT, Op: pg_query.SetOperation_SETOP_NONE}
	for _, c := range cols {
		ref := &pg_query.ColumnRef{Fields: []*pg_query.Node{pg_query.MakeStrNode(rv.Relname), pg_query.MakeStrNode(desc.Attrs[c-1].Name)}, Location: -1}
		target := &pg_query.ResTarget{Val: &pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: ref}}, Location: -1}
		sel.TargetList = append(sel.TargetList, &pg_query.Node{Node: &pg_query.Node_ResTarget{ResTarget: target}})
	}
	return &pg_query.Node{Node: &pg_query.Node_SelectStmt{SelectStmt: sel}}
}

func (w *copyWriter) setForce(names []string) error {
	w.force = make([]bool, len(w.ios))
	for i := range w.force {
		w.force[i] = w.o.forceQuoteAll
	}
	for _, want := range w.o.forceQuote {
		found := false
		for i, name := range names {
			if name == want {
				w.force[i], found = true, true
			}
		}
		if !found {
			return pgerr.New(pgerr.InvalidColumnReference, "FORCE_QUOTE column \"%s\" not referenced by COPY", want)
		}
	}
	return nil
}

// open starts the output; the function it gives ends it.
func (w *copyWriter) open(filename string, columns int) (func() error, error) {
	if filename == "" {
		w.s.w.CopyOutResponse(w.o.wireFormat(), columns)
		return func() error {
			w.s.w.CopyDone()
			return nil
		}, nil
	}
	if filename[0] != '/' {
		return nil, pgerr.New(pgerr.InvalidName, "relative path not allowed for COPY to file")
	}
	f, err := os.OpenFile(filename, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fileError(err, filename, "writing")
	}
	w.file = bufio.NewWriterSize(f, 64<<10)
	return func() error {
		err := w.file.Flush()
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return pgerr.New(pgerr.IoError, "could not write to COPY file: %v", err)
		}
		return nil
	}, nil
}

func (w *copyWriter) receive(row types.Row) error {
	if w.o.binary {
		return w.receiveBinary(row)
	}
	w.buf = w.buf[:0]
	for i, io := range w.ios {
		if i > 0 {
			w.buf = append(w.buf, w.o.delim)
		}
		if row[i].IsNull() {
			w.buf = append(w.buf, w.o.null...)
			continue
		}
		var err error
		if w.cell, err = io.AppendText(w.s.backend.Env, w.cell[:0], row[i]); err != nil {
			return err
		}
		if w.o.csv {
			w.appendCSV(w.cell, w.force[i], len(w.ios) == 1)
		} else {
			w.appendText(w.cell)
		}
	}
	w.count++
	return w.line()
}

// line ends and sends a line.
func (w *copyWriter) line() error {
	w.buf = append(w.buf, '\n')
	return w.send()
}

// send passes w.buf on to the client or the file.
func (w *copyWriter) send() error {
	if w.file == nil {
		return w.s.w.CopyData(w.buf)
	}
	if _, err := w.file.Write(w.buf); err != nil {
		return pgerr.New(pgerr.IoError, "could not write to COPY file: %v", err)
	}
	return nil
}

func (w *copyWriter) header(names []string) error {
	w.buf = w.buf[:0]
	for i, name := range names {
		if i > 0 {
			w.buf = append(w.buf, w.o.delim)
		}
		if w.o.csv {
			w.appendCSV([]byte(name), false, len(names) == 1)
		} else {
			w.appendText([]byte(name))
		}
	}
	return w.line()
}

func (w *copyWriter) appendText(cell []byte) {
	for _, b := range cell {
		switch b {
		case '\b':
			w.buf = append(w.buf, '\\', 'b')
		case '\f':
			w.buf = append(w.buf, '\\', 'f')
		case '\n':
			w.buf = append(w.buf, '\\', 'n')
		case '\r':
			w.buf = append(w.buf, '\\', 'r')
		case '\t':
			w.buf = append(w.buf, '\\', 't')
		case '\v':
			w.buf = append(w.buf, '\\', 'v')
		case '\\', w.o.delim:
			w.buf = append(w.buf, '\\', b)
		default:
			w.buf = append(w.buf, b)
		}
	}
}

// appendCSV quotes a value that needs it: it holds special bytes, equals the null string, or is the end-of-data mark alone on its line.
func (w *copyWriter) appendCSV(cell []byte, force, single bool) {
	o := w.o
	quote := force || string(cell) == o.null || single && string(cell) == `\.`
	for _, b := range cell {
		if b == o.delim || b == o.quote || b == '\n' || b == '\r' {
			quote = true
			break
		}
	}
	if !quote {
		w.buf = append(w.buf, cell...)
		return
	}
	w.buf = append(w.buf, o.quote)
	for _, b := range cell {
		if b == o.quote || b == o.escape {
			w.buf = append(w.buf, o.escape)
		}
		w.buf = append(w.buf, b)
	}
	w.buf = append(w.buf, o.quote)
}
