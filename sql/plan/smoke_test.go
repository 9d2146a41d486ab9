package plan_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/calfdb/calf/sql/plan"
)

// shape prints a plan tree in short: node types with costs, rows and widths.
func shape(n plan.Node, depth int, b *strings.Builder) {
	if n == nil {
		return
	}
	p := n.Base()
	name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*plan.")
	fmt.Fprintf(b, "%s%s (cost=%.2f..%.2f rows=%.0f width=%d)\n", strings.Repeat("  ", depth), name, p.StartupCost, p.TotalCost, p.Rows, p.Width)
	shape(p.Left, depth+1, b)
	shape(p.Right, depth+1, b)
	plan.EachChild(n, func(c plan.Node) { shape(c, depth+1, b) })
}

func TestSmoke(t *testing.T) {
	if *rewrite {
		conn, err := pgx.Connect(context.Background(), *oracle)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		recordSchema(t, conn)
	}
	f := loadFake(t)
	for _, sql := range []string{
		"select 1",
		"select * from small",
		"select abalance from pgbench_accounts where aid = 7",
		"update pgbench_accounts set abalance = abalance + 1 where aid = 7",
		"delete from pgbench_accounts where aid = 7",
		"insert into pgbench_history (tid, bid, aid, delta, mtime) values (1, 2, 3, 4, current_timestamp)",
		"select * from tenk where hundred = 5",
		"select * from tenk where hundred < 50 and thousand > 10 order by unique1 limit 10",
		"select count(*) from tenk",
		"select max(unique1) from tenk",
		"select hundred, count(*), sum(ten) from tenk group by hundred having count(*) > 3 order by 2",
		"select * from small s join child c on c.small_id = s.id where s.id < 10",
		"select * from small s left join child c on c.small_id = s.id",
		"select * from small where id in (select small_id from child where val = 'v7')",
		"select * from small s where not exists (select 1 from child c where c.small_id = s.id)",
		"select (select max(id) from child c where c.small_id = s.id) from small s",
		"select distinct ten from tenk",
		"select ten from tenk union select id from small",
		"select ten from tenk union all select id from small order by 1",
		"select ten from tenk except select id from small",
		"with recursive r(n) as (select 1 union all select n + 1 from r where n < 10) select * from r",
		"select unnest(array[1,2,3]), id from small",
		"select * from generate_series(1, 10) g",
		"select id, row_number() over (order by amount) from small",
		"select * from small for update",
		"select * from (values (1, 'a'), (2, 'b')) v(x, y) where x > 1",
		"select * from small s, lateral (select * from child c where c.small_id = s.id limit 1) l",
		"insert into small (id, name) values (1, 'x') on conflict (id) do update set name = excluded.name returning *",
		"select s.name, c.val, t.ten from small s, child c, tenk t where s.id = c.small_id and t.unique1 = c.id and s.flag",
		"select * from tenk where unique1 in (1, 2, 3) or unique2 = 7",
		"update child set val = s.name from small s where s.id = child.small_id and s.flag returning child.id, s.name",
		"with x as materialized (select * from small) select * from x a, x b where a.id = b.id",
		"select * from tenk a full join tenk b on a.unique1 = b.unique2",
		"select * from tenk a join tenk b using (unique1) join tenk c using (unique1) order by unique1",
	} {
		p, err := f.plan(sql, nil)
		if err != nil {
			t.Errorf("%s\n%s %v", sql, code(err), err)
			continue
		}
		var b strings.Builder
		shape(p.Root, 1, &b)
		for i, s := range p.Subplans {
			fmt.Fprintf(&b, "  subplan %d\n", i+1)
			shape(s, 2, &b)
		}
		t.Logf("%s\n%s", sql, b.String())
	}
}
