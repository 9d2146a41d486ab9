package crash

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/jackc/pgx/v5"
)

// found is what the server has after a restart.
type found struct {
	items   map[int]item
	history map[int]int
	tables  map[string]int
}

// read reads everything, by sequential scans and by index scans, and compares the two.
func read(ctx context.Context, c *pgx.Conn) (f found, err error) {
	if err := scanWith(ctx, c, "enable_seqscan"); err != nil {
		return f, err
	}
	byIndex, err := readItems(ctx, c, "select id, val, grp, pad from kv where id >= 0 order by id")
	if err != nil {
		return f, err
	}
	byGroup := map[int]item{}
	for g := range groups {
		some, err := readItems(ctx, c, fmt.Sprintf("select id, val, grp, pad from kv where grp = %d", g))
		if err != nil {
			return f, err
		}
		maps.Copy(byGroup, some)
	}
	if err := scanWith(ctx, c, "enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan"); err != nil {
		return f, err
	}
	if f.items, err = readItems(ctx, c, "select id, val, grp, pad from kv"); err != nil {
		return f, err
	}
	if !maps.Equal(f.items, byIndex) {
		return f, fmt.Errorf("a sequential scan finds %d items, the primary key %d%s", len(f.items), len(byIndex), difference(f.items, byIndex))
	}
	if !maps.Equal(f.items, byGroup) {
		return f, fmt.Errorf("a sequential scan finds %d items, the index of groups %d%s", len(f.items), len(byGroup), difference(f.items, byGroup))
	}
	if f.history, err = readHistory(ctx, c); err != nil {
		return f, err
	}
	f.tables, err = readTables(ctx, c)
	return f, err
}

// scanWith switches some scans off and the others on.
func scanWith(ctx context.Context, c *pgx.Conn, off ...string) error {
	for _, name := range []string{"enable_seqscan", "enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan"} {
		value := "on"
		for _, o := range off {
			if o == name {
				value = "off"
			}
		}
		if _, err := c.Exec(ctx, "set "+name+" = "+value); err != nil {
			return err
		}
	}
	return nil
}

func difference(a, b map[int]item) string {
	for id, x := range a {
		if y, ok := b[id]; !ok || x != y {
			return fmt.Sprintf(": %d is %v in the first, %v (%v) in the second", id, x, y, ok)
		}
	}
	for id, y := range b {
		if _, ok := a[id]; !ok {
			return fmt.Sprintf(": %d is missing in the first, %v in the second", id, y)
		}
	}
	return ""
}

func readItems(ctx context.Context, c *pgx.Conn, sql string) (map[int]item, error) {
	rows, err := c.Query(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	out := map[int]item{}
	for rows.Next() {
		var id int
		var it item
		var text string
		if err := rows.Scan(&id, &it.val, &it.grp, &text); err != nil {
			return nil, err
		}
		if it.pad.n = len(text); it.pad.n > 0 {
			it.pad.c = text[0]
		}
		if it.pad.String() != text {
			return nil, fmt.Errorf("item %d has a damaged text of %d bytes", id, len(text))
		}
		if _, twice := out[id]; twice {
			return nil, fmt.Errorf("%s gives item %d twice", sql, id)
		}
		out[id] = it
	}
	return out, rows.Err()
}

// readHistory reads the history, and compares its sums with the balances.
func readHistory(ctx context.Context, c *pgx.Conn) (map[int]int, error) {
	sums := map[int]int{}
	out := map[int]int{}
	rows, err := c.Query(ctx, "select hid, aid, delta from history")
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var id, account, delta int
		if err := rows.Scan(&id, &account, &delta); err != nil {
			return nil, err
		}
		sums[account] += delta
		out[id] = account*1000000 + delta + 500000
	}
	if rows.Err() != nil {
		return nil, rows.Err()
	}
	rows, err = c.Query(ctx, "select aid, balance from accounts")
	if err != nil {
		return nil, err
	}
	n := 0
	for rows.Next() {
		var account, balance int
		if err := rows.Scan(&account, &balance); err != nil {
			return nil, err
		}
		if balance != sums[account] {
			return nil, fmt.Errorf("account %d has %d, its history %d", account, balance, sums[account])
		}
		n++
	}
	if rows.Err() == nil && n != accounts {
		return nil, fmt.Errorf("%d accounts", n)
	}
	return out, rows.Err()
}

// readTables counts the rows of the clients' tables.
func readTables(ctx context.Context, c *pgx.Conn) (map[string]int, error) {
	rows, err := c.Query(ctx, "select relname::text from pg_class where relkind = 'r'")
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, name := range names {
		if !clientTable(name) {
			continue
		}
		var n int
		if err := c.QueryRow(ctx, "select count(*) from "+name).Scan(&n); err != nil {
			return nil, err
		}
		out[name] = n
	}
	return out, nil
}

// clientTable says whether a client made the table: t, its number, _, a number.
func clientTable(name string) bool {
	var client, n int
	got, err := fmt.Sscanf(name, "t%d_%d", &client, &n)
	return got == 2 && err == nil
}

// settle compares what was found with a client's model, in which the transaction that was not answered is either all done or not at all, and makes the
// model say which.
func (w *worker) settle(f found) error {
	plain := w.compare(f)
	if w.maybe == nil || plain == nil {
		w.maybe = nil
		return plain
	}
	w.apply(*w.maybe)
	w.maybe = nil
	if with := w.compare(f); with != nil {
		return fmt.Errorf("neither without the transaction that was not answered (%w) nor with it (%w)", plain, with)
	}
	return nil
}

// compare finds the first difference between the client's part of what was found and its model.
func (w *worker) compare(f found) error {
	mine := map[int]item{}
	for id, it := range f.items {
		if id%workers == w.n {
			mine[id] = it
		}
	}
	if !maps.Equal(normal(w.items), mine) {
		return fmt.Errorf("client %d has %d items, the server %d%s", w.n, len(w.items), len(mine), difference(normal(w.items), mine))
	}
	history := map[int]int{}
	for id, h := range f.history {
		if id%workers == w.n {
			history[id] = h
		}
	}
	if !maps.Equal(w.history, history) {
		return fmt.Errorf("client %d has %d lines of history, the server %d", w.n, len(w.history), len(history))
	}
	tables := map[string]int{}
	for name, n := range f.tables {
		if strings.HasPrefix(name, fmt.Sprintf("t%d_", w.n)) {
			tables[name] = n
		}
	}
	if !maps.Equal(w.tables, tables) {
		return fmt.Errorf("client %d has tables %v, the server %v", w.n, w.tables, tables)
	}
	return nil
}

// normal drops the letter of empty texts, which can't be read back.
func normal(items map[int]item) map[int]item {
	out := maps.Clone(items)
	for id, it := range out {
		if it.pad.n == 0 {
			it.pad.c = 0
			out[id] = it
		}
	}
	return out
}
