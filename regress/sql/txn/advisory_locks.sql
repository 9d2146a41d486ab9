-- Advisory locks: of the session and of the transaction, shared and exclusive, one number or two.
create view held as
  select classid, objid, objsubid, mode, granted from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
  order by classid, objid, objsubid, mode;
select pg_advisory_lock(1), pg_advisory_lock_shared(2), pg_advisory_lock(3, 4), pg_advisory_lock_shared(-1, -2);
select * from held;
-- a lock that is held twice is given up twice
select pg_advisory_lock(1);
select pg_advisory_unlock(1), pg_advisory_unlock(1), pg_advisory_unlock(1);
select pg_advisory_unlock_shared(2), pg_advisory_unlock(2);
select pg_advisory_unlock(3, 4), pg_advisory_unlock(34359738372);
select * from held;
select pg_try_advisory_lock(9223372036854775807), pg_try_advisory_lock_shared(-9223372036854775808);
select * from held;
select pg_advisory_unlock_all();
select count(*) from held;
-- those of a transaction go with it, those of the session stay, also when it is rolled back
begin;
select pg_advisory_xact_lock(1), pg_advisory_xact_lock_shared(2), pg_try_advisory_xact_lock(3), pg_try_advisory_xact_lock_shared(4, 5);
select pg_advisory_lock(6);
select pg_advisory_unlock(1);
select * from held;
savepoint s;
select pg_advisory_xact_lock(7), pg_advisory_lock(8);
rollback to s;
select * from held;
rollback;
select * from held;
select pg_advisory_unlock_all();
-- both modes in one session
select pg_advisory_lock_shared(1), pg_advisory_lock(1);
select * from held;
discard all;
select count(*) from held;
select pg_advisory_lock(null), pg_try_advisory_lock(1, null);
select count(*) from held;
drop view held;
