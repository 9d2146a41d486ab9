select 1
select * from small
select abalance from pgbench_accounts where aid = 7
update pgbench_accounts set abalance = abalance + 1 where aid = 7
delete from pgbench_accounts where aid = 7
select * from tenk where hundred = 5
select * from tenk where hundred < 50 and thousand > 10 order by unique1 limit 10
select count(*) from tenk
select max(unique1) from tenk
select hundred, count(*), sum(ten) from tenk group by hundred having count(*) > 3 order by 2
select * from small s join child c on c.small_id = s.id where s.id < 10
select * from small s left join child c on c.small_id = s.id
select * from small where id in (select small_id from child where val = 'v7')
select * from small s where not exists (select 1 from child c where c.small_id = s.id)
select * from small s where exists (select 1 from child c where c.small_id = s.id and c.id > 100)
select (select max(id) from child c where c.small_id = s.id) from small s
select distinct ten from tenk
select ten from tenk union select id from small
select ten from tenk union all select id from small order by 1
select ten from tenk except select id from small
with recursive r(n) as (select 1 union all select n + 1 from r where n < 10) select * from r
select unnest(array[1,2,3]), id from small
select * from generate_series(1, 10) g
select id, row_number() over (order by amount) from small
select * from small for update
select * from (values (1, 'a'), (2, 'b')) v(x, y) where x > 1
select * from small s, lateral (select * from child c where c.small_id = s.id limit 1) l
select s.name, c.val, t.ten from small s, child c, tenk t where s.id = c.small_id and t.unique1 = c.id and s.flag
select * from tenk where unique1 in (1, 2, 3) or unique2 = 7
update child set val = s.name from small s where s.id = child.small_id and s.flag returning child.id, s.name
with x as materialized (select * from small) select * from x a, x b where a.id = b.id
select * from tenk a full join tenk b on a.unique1 = b.unique2
select * from tenk a join tenk b using (unique1) join tenk c using (unique1) order by unique1
select * from tenk where unique1 < 100
select * from tenk where unique1 between 100 and 200 and hundred = 7
select unique1 from tenk where unique1 > 9000
select * from tenk where thousand = 5 and ten = 5
select * from tenk where thousand in (1, 2, 3)
select * from tenk where nullish is null
select * from tenk where nullish = 7 and two = 1
select * from tenk where lower(stringu) = 'str31'
select * from tenk where ten = 3 and unique1 < 500
select * from tenk where ctid = '(0,1)'
select * from tenk order by unique2 desc limit 5
select * from tenk order by thousand, hundred limit 5
select a.unique1 from tenk a, tenk b where a.unique1 = b.unique2 and a.unique1 < 50
select a.* from tenk a, tenk b where a.hundred = b.hundred and b.unique1 = 42
select * from tenk a left join tenk b on a.unique1 = b.unique2 where b.ten is null
select * from tenk a where a.unique1 not in (select id from small)
select count(distinct ten) from tenk
select ten, count(*) from tenk group by ten order by ten
select thousand, ten, count(*) from tenk group by thousand, ten
select min(unique2), max(unique2) from tenk where hundred = 5
select * from small where name like 'name1%'
select * from small where day > '2020-05-01'
select * from small where amount < 100
select * from small where flag
select * from small where not flag
select * from tenk where ten = 1 or four = 2
select sum(unique1) from tenk where hundred between 10 and 20
select * from empty_t
select * from fresh where a = 1
select * from fresh where b = 1
select * from fresh f, small s where f.a = s.id
select * from child where id = any (array[1,2,3,4])
select * from tenk where (thousand, ten) > (990, 5)
select distinct on (hundred) hundred, unique1 from tenk order by hundred, unique1
select * from tenk t1, tenk t2, tenk t3 where t1.unique1 = t2.unique2 and t2.unique1 = t3.unique2 and t1.ten = 5
select * from child c, small s where c.small_id = s.id and c.id = 77
select count(*) from child c join small s on c.small_id = s.id
select s.flag, avg(c.id) from child c join small s on c.small_id = s.id group by s.flag
select id, (select count(*) from tenk where unique1 < s.id) from small s where id < 5
select * from small where id > (select avg(ten) from tenk)
insert into fresh select id, id, name from small
select rank() over (partition by ten order by unique1) from tenk where hundred < 10
select * from (select hundred, count(*) as c from tenk group by hundred) x where c > 50
select * from (select * from tenk order by unique1 limit 10) x where ten = 1
select 1 from small where false
select * from small limit 0
select * from tenk where unique1 = 5 and unique1 = 6
select * from tenk where unique1 > 5 and unique1 > 9990
select * from tenk where unique1 = $1
select * from tenk where unique1 < $1
select * from tenk where hundred = $1 and thousand between $2 and $3
