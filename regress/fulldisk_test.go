package regress

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// fillingDisk is a file system whose free space the test sets.
type fillingDisk struct {
	vfs.FS
	full atomic.Bool
}

func (d *fillingDisk) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	u, err := d.FS.GetDiskUsage(path)
	if d.full.Load() {
		u.AvailBytes = 100 << 20
	} else {
		u.AvailBytes = 100 << 30
	}
	return u, err
}

// TestFullDisk: on a nearly full disk every statement that writes is refused with 53100 and leaves nothing behind, reads go on, what makes room
// works, and afterwards writes do again.
func TestFullDisk(t *testing.T) {
	disk := &fillingDisk{FS: vfs.Default}
	_, sock := startServerOn(t, disk, nil)
	ctx := context.Background()
	c, err := pgx.Connect(ctx, "host="+sock+" port=5432 user=postgres dbname=postgres sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	code := func(sql string) string {
		_, err := c.PgConn().Exec(ctx, sql).ReadAll()
		var e *pgconn.PgError
		if err == nil {
			return ""
		}
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", sql, err)
		}
		if e.Code == "53100" && !strings.HasSuffix(e.Message, "No space left on device") {
			t.Errorf("%s: %s", sql, e.Message)
		}
		return e.Code
	}
	ok := func(statements ...string) {
		t.Helper()
		for _, sql := range statements {
			if got := code(sql); got != "" {
				t.Fatalf("%s: %s", sql, got)
			}
		}
	}
	await := func(sql, want string) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			got := code(sql)
			if got == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %q, want %q", sql, got, want)
			}
		}
	}
	const rows = "select count(*), min(b), max(b) from t"
	ok("create table t (a int primary key, b text)", "insert into t select n, 'before' from generate_series(1, 1000) n",
		"create table gone as select * from t", "create table emptied as select * from t", "create index on t (b)", "create database other")
	disk.full.Store(true)
	await("update t set b = 'probe' where a = 0; insert into t values (-1, 'probe'); delete from t where a = -1", "53100")
	for _, sql := range []string{"insert into t values (1001, 'full')", "update t set b = 'full'", "delete from t", "insert into t select n, 'full' from generate_series(2000, 9000) n",
		"create table more (a int)", "create table more as select * from t", "create index on t (a, b)", "alter table t add c int default 7", "vacuum full t",
		"reindex table t", "create database another", "begin; update t set b = 'full'; commit"} {
		if got := code(sql); got != "53100" {
			t.Errorf("%s: %q", sql, got)
		}
		code("rollback")
	}
	var n int
	var least, most string
	if err := c.QueryRow(ctx, rows).Scan(&n, &least, &most); err != nil || n != 1000 || least != "before" || most != "before" {
		t.Errorf("the refused statements left %d rows of %q to %q (%v)", n, least, most, err)
	}
	ok("vacuum t", "truncate emptied", "drop table gone", "drop database other", "vacuum")
	disk.full.Store(false)
	await("insert into t values (1001, 'after')", "")
	ok("update t set b = 'after'", "create table more as select * from t")
	if err := c.QueryRow(ctx, rows).Scan(&n, &least, &most); err != nil || n != 1001 || least != "after" || most != "after" {
		t.Errorf("afterwards %d rows of %q to %q (%v)", n, least, most, err)
	}
}
