--
-- MERGE
--
create table mt (tid int primary key, balance int check (balance >= 0), note text default 'new');
create table ms (sid int, delta int);
insert into mt values (1, 10), (2, 20), (3, 30);
insert into ms values (2, 5), (3, 20), (4, 40);

explain (costs off) merge into mt t using ms s on t.tid = s.sid when matched then update set balance = t.balance + s.delta
  when not matched then insert (tid, balance) values (s.sid, s.delta);
explain (costs off) merge into mt t using ms s on t.tid = s.sid when matched then delete;
merge into mt t using ms s on t.tid = s.sid when matched and t.balance > 25 then delete when matched then update set balance = t.balance + s.delta
  when not matched then insert (tid, balance) values (s.sid, s.delta);
select * from mt order by tid;
merge into mt using (select sid, sum(delta) d from ms group by sid) s on tid = sid when not matched and d > 100 then do nothing
  when not matched then insert values (sid, d, default) when matched then do nothing;
select * from mt order by tid;
with s as (select 1 as id) merge into mt using s on tid = id when matched then update set note = default, balance = (select max(delta) from ms);
select * from mt order by tid;

-- errors
insert into ms values (2, 5);
merge into mt t using ms s on t.tid = s.sid when matched then update set balance = 0;
merge into mt t using ms s on t.tid = s.sid when matched then delete when matched then do nothing;
merge into mt t using ms t on t.tid = t.sid when matched then delete;
merge into mt t using ms s on t.tid = s.sid when not matched then insert values (t.tid, 1);
merge into mt t using ms s on t.tid = s.sid when matched and s.sid = 3 then update set balance = -1;
merge into mt t using ms s on t.tid = s.sid when matched then update set nosuch = 1;
create view mv as select * from mt;
merge into mv t using ms s on t.tid = s.sid when matched then delete;
drop view mv;
select * from mt order by tid;
drop table mt, ms;
