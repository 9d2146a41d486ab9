-- The counters of a table and of its indexes.
create table s (a int primary key, b int);
select pg_stat_force_next_flush();
insert into s select i, i from generate_series(1, 100) i;
update s set b = b + 1 where a <= 30;
delete from s where a > 90;
begin;
insert into s values (1000, 0);
rollback;
select pg_stat_force_next_flush();
select n_tup_ins, n_tup_upd, n_tup_del, n_live_tup, n_dead_tup, n_mod_since_analyze from pg_stat_user_tables where relname = 's';
set enable_seqscan = off;
select b from s where a = 5;
select b from s where a = 6;
reset enable_seqscan;
select count(*) from s;
select pg_stat_force_next_flush();
select seq_scan > 0 as seq_scanned, idx_scan >= 2 as idx_scanned from pg_stat_user_tables where relname = 's';
select idx_scan >= 2 as scanned, idx_tup_fetch >= 2 as fetched from pg_stat_user_indexes where indexrelname = 's_pkey';
vacuum analyze s;
select pg_stat_force_next_flush();
select n_live_tup, n_dead_tup, n_mod_since_analyze, vacuum_count, analyze_count, last_vacuum is not null as vacuumed,
  last_analyze is not null as analyzed from pg_stat_user_tables where relname = 's';
truncate s;
select pg_stat_force_next_flush();
select n_live_tup, n_dead_tup from pg_stat_user_tables where relname = 's';
select pg_stat_reset_single_table_counters('s'::regclass);
select n_tup_ins, vacuum_count from pg_stat_user_tables where relname = 's';
-- in the transaction's own view
begin;
insert into s values (1, 1), (2, 2);
update s set b = 3 where a = 1;
select n_tup_ins, n_tup_upd, n_tup_del from pg_stat_xact_user_tables where relname = 's';
commit;
select state, query, backend_type, datname = current_database() as here, usename = current_user as me, wait_event from pg_stat_activity where pid = pg_backend_pid();
select xact_commit > 0 as commits, xact_rollback > 0 as rollbacks, tup_inserted > 0 as inserted, numbackends > 0 as connected from pg_stat_database where datname = current_database();
drop table s;
