-- The statistics views of pg_catalog, run after pg_catalog.sql. One statement ends at a line that ends in a semicolon.

CREATE VIEW pg_catalog.pg_stat_all_tables AS
    SELECT c.oid AS relid, n.nspname AS schemaname, c.relname,
           pg_catalog.pg_stat_get_numscans(c.oid) AS seq_scan, pg_catalog.pg_stat_get_tuples_returned(c.oid) AS seq_tup_read,
           pg_catalog.sum(pg_catalog.pg_stat_get_numscans(i.indexrelid))::bigint AS idx_scan,
           pg_catalog.sum(pg_catalog.pg_stat_get_tuples_fetched(i.indexrelid))::bigint + pg_catalog.pg_stat_get_tuples_fetched(c.oid) AS idx_tup_fetch,
           pg_catalog.pg_stat_get_tuples_inserted(c.oid) AS n_tup_ins, pg_catalog.pg_stat_get_tuples_updated(c.oid) AS n_tup_upd,
           pg_catalog.pg_stat_get_tuples_deleted(c.oid) AS n_tup_del, pg_catalog.pg_stat_get_tuples_hot_updated(c.oid) AS n_tup_hot_upd,
           pg_catalog.pg_stat_get_live_tuples(c.oid) AS n_live_tup, pg_catalog.pg_stat_get_dead_tuples(c.oid) AS n_dead_tup,
           pg_catalog.pg_stat_get_mod_since_analyze(c.oid) AS n_mod_since_analyze, pg_catalog.pg_stat_get_ins_since_vacuum(c.oid) AS n_ins_since_vacuum,
           pg_catalog.pg_stat_get_last_vacuum_time(c.oid) AS last_vacuum, pg_catalog.pg_stat_get_last_autovacuum_time(c.oid) AS last_autovacuum,
           pg_catalog.pg_stat_get_last_analyze_time(c.oid) AS last_analyze, pg_catalog.pg_stat_get_last_autoanalyze_time(c.oid) AS last_autoanalyze,
           pg_catalog.pg_stat_get_vacuum_count(c.oid) AS vacuum_count, pg_catalog.pg_stat_get_autovacuum_count(c.oid) AS autovacuum_count,
           pg_catalog.pg_stat_get_analyze_count(c.oid) AS analyze_count, pg_catalog.pg_stat_get_autoanalyze_count(c.oid) AS autoanalyze_count
    FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_index i ON c.oid = i.indrelid LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 't', 'm', 'p')
    GROUP BY c.oid, n.nspname, c.relname;

CREATE VIEW pg_catalog.pg_stat_xact_all_tables AS
    SELECT c.oid AS relid, n.nspname AS schemaname, c.relname,
           pg_catalog.pg_stat_get_xact_numscans(c.oid) AS seq_scan, pg_catalog.pg_stat_get_xact_tuples_returned(c.oid) AS seq_tup_read,
           pg_catalog.sum(pg_catalog.pg_stat_get_xact_numscans(i.indexrelid))::bigint AS idx_scan,
           pg_catalog.sum(pg_catalog.pg_stat_get_xact_tuples_fetched(i.indexrelid))::bigint + pg_catalog.pg_stat_get_xact_tuples_fetched(c.oid)
           AS idx_tup_fetch,
           pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid) AS n_tup_ins, pg_catalog.pg_stat_get_xact_tuples_updated(c.oid) AS n_tup_upd,
           pg_catalog.pg_stat_get_xact_tuples_deleted(c.oid) AS n_tup_del, pg_catalog.pg_stat_get_xact_tuples_hot_updated(c.oid) AS n_tup_hot_upd
    FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_index i ON c.oid = i.indrelid LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 't', 'm', 'p')
    GROUP BY c.oid, n.nspname, c.relname;

CREATE VIEW pg_catalog.pg_stat_sys_tables AS
    SELECT * FROM pg_catalog.pg_stat_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_xact_sys_tables AS
    SELECT * FROM pg_catalog.pg_stat_xact_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_user_tables AS
    SELECT * FROM pg_catalog.pg_stat_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_xact_user_tables AS
    SELECT * FROM pg_catalog.pg_stat_xact_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_all_tables AS
    SELECT c.oid AS relid, n.nspname AS schemaname, c.relname,
           pg_catalog.pg_stat_get_blocks_fetched(c.oid) - pg_catalog.pg_stat_get_blocks_hit(c.oid) AS heap_blks_read,
           pg_catalog.pg_stat_get_blocks_hit(c.oid) AS heap_blks_hit, i.idx_blks_read, i.idx_blks_hit,
           pg_catalog.pg_stat_get_blocks_fetched(t.oid) - pg_catalog.pg_stat_get_blocks_hit(t.oid) AS toast_blks_read,
           pg_catalog.pg_stat_get_blocks_hit(t.oid) AS toast_blks_hit, x.idx_blks_read AS tidx_blks_read, x.idx_blks_hit AS tidx_blks_hit
    FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_class t ON c.reltoastrelid = t.oid LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         LEFT JOIN LATERAL (SELECT pg_catalog.sum(pg_catalog.pg_stat_get_blocks_fetched(indexrelid) -
                                                  pg_catalog.pg_stat_get_blocks_hit(indexrelid))::bigint AS idx_blks_read,
                                   pg_catalog.sum(pg_catalog.pg_stat_get_blocks_hit(indexrelid))::bigint AS idx_blks_hit
                            FROM pg_catalog.pg_index WHERE indrelid = c.oid) i ON true
         LEFT JOIN LATERAL (SELECT pg_catalog.sum(pg_catalog.pg_stat_get_blocks_fetched(indexrelid) -
                                                  pg_catalog.pg_stat_get_blocks_hit(indexrelid))::bigint AS idx_blks_read,
                                   pg_catalog.sum(pg_catalog.pg_stat_get_blocks_hit(indexrelid))::bigint AS idx_blks_hit
                            FROM pg_catalog.pg_index WHERE indrelid = t.oid) x ON true
    WHERE c.relkind IN ('r', 't', 'm');

CREATE VIEW pg_catalog.pg_statio_sys_tables AS
    SELECT * FROM pg_catalog.pg_statio_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_user_tables AS
    SELECT * FROM pg_catalog.pg_statio_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_all_indexes AS
    SELECT c.oid AS relid, i.oid AS indexrelid, n.nspname AS schemaname, c.relname, i.relname AS indexrelname,
           pg_catalog.pg_stat_get_numscans(i.oid) AS idx_scan, pg_catalog.pg_stat_get_tuples_returned(i.oid) AS idx_tup_read,
           pg_catalog.pg_stat_get_tuples_fetched(i.oid) AS idx_tup_fetch
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_index x ON c.oid = x.indrelid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
         LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 't', 'm');

CREATE VIEW pg_catalog.pg_stat_sys_indexes AS
    SELECT * FROM pg_catalog.pg_stat_all_indexes WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_user_indexes AS
    SELECT * FROM pg_catalog.pg_stat_all_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_all_indexes AS
    SELECT c.oid AS relid, i.oid AS indexrelid, n.nspname AS schemaname, c.relname, i.relname AS indexrelname,
           pg_catalog.pg_stat_get_blocks_fetched(i.oid) - pg_catalog.pg_stat_get_blocks_hit(i.oid) AS idx_blks_read,
           pg_catalog.pg_stat_get_blocks_hit(i.oid) AS idx_blks_hit
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_index x ON c.oid = x.indrelid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
         LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 't', 'm');

CREATE VIEW pg_catalog.pg_statio_sys_indexes AS
    SELECT * FROM pg_catalog.pg_statio_all_indexes WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_user_indexes AS
    SELECT * FROM pg_catalog.pg_statio_all_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_all_sequences AS
    SELECT c.oid AS relid, n.nspname AS schemaname, c.relname,
           pg_catalog.pg_stat_get_blocks_fetched(c.oid) - pg_catalog.pg_stat_get_blocks_hit(c.oid) AS blks_read,
           pg_catalog.pg_stat_get_blocks_hit(c.oid) AS blks_hit
    FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'S';

CREATE VIEW pg_catalog.pg_statio_sys_sequences AS
    SELECT * FROM pg_catalog.pg_statio_all_sequences WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_user_sequences AS
    SELECT * FROM pg_catalog.pg_statio_all_sequences WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_activity AS
    SELECT s.datid, d.datname, s.pid, s.leader_pid, s.usesysid, u.rolname AS usename, s.application_name, s.client_addr, s.client_hostname,
           s.client_port, s.backend_start, s.xact_start, s.query_start, s.state_change, s.wait_event_type, s.wait_event, s.state, s.backend_xid,
           s.backend_xmin, s.query_id, s.query, s.backend_type
    FROM pg_catalog.pg_stat_get_activity(NULL) s LEFT JOIN pg_catalog.pg_database d ON s.datid = d.oid
         LEFT JOIN pg_catalog.pg_authid u ON s.usesysid = u.oid;

CREATE VIEW pg_catalog.pg_stat_ssl AS
    SELECT s.pid, s.ssl, s.sslversion AS version, s.sslcipher AS cipher, s.sslbits AS bits, s.ssl_client_dn AS client_dn,
           s.ssl_client_serial AS client_serial, s.ssl_issuer_dn AS issuer_dn
    FROM pg_catalog.pg_stat_get_activity(NULL) s
    WHERE s.client_port IS NOT NULL;

CREATE VIEW pg_catalog.pg_stat_gssapi AS
    SELECT s.pid, s.gss_auth AS gss_authenticated, s.gss_princ AS principal, s.gss_enc AS encrypted
    FROM pg_catalog.pg_stat_get_activity(NULL) s
    WHERE s.client_port IS NOT NULL;

CREATE VIEW pg_catalog.pg_stat_database AS
    SELECT d.oid AS datid, d.datname,
           CASE WHEN d.oid = 0::oid THEN 0 ELSE pg_catalog.pg_stat_get_db_numbackends(d.oid) END AS numbackends,
           pg_catalog.pg_stat_get_db_xact_commit(d.oid) AS xact_commit, pg_catalog.pg_stat_get_db_xact_rollback(d.oid) AS xact_rollback,
           pg_catalog.pg_stat_get_db_blocks_fetched(d.oid) - pg_catalog.pg_stat_get_db_blocks_hit(d.oid) AS blks_read,
           pg_catalog.pg_stat_get_db_blocks_hit(d.oid) AS blks_hit, pg_catalog.pg_stat_get_db_tuples_returned(d.oid) AS tup_returned,
           pg_catalog.pg_stat_get_db_tuples_fetched(d.oid) AS tup_fetched, pg_catalog.pg_stat_get_db_tuples_inserted(d.oid) AS tup_inserted,
           pg_catalog.pg_stat_get_db_tuples_updated(d.oid) AS tup_updated, pg_catalog.pg_stat_get_db_tuples_deleted(d.oid) AS tup_deleted,
           pg_catalog.pg_stat_get_db_conflict_all(d.oid) AS conflicts, pg_catalog.pg_stat_get_db_temp_files(d.oid) AS temp_files,
           pg_catalog.pg_stat_get_db_temp_bytes(d.oid) AS temp_bytes, pg_catalog.pg_stat_get_db_deadlocks(d.oid) AS deadlocks,
           pg_catalog.pg_stat_get_db_checksum_failures(d.oid) AS checksum_failures,
           pg_catalog.pg_stat_get_db_checksum_last_failure(d.oid) AS checksum_last_failure,
           pg_catalog.pg_stat_get_db_blk_read_time(d.oid) AS blk_read_time, pg_catalog.pg_stat_get_db_blk_write_time(d.oid) AS blk_write_time,
           pg_catalog.pg_stat_get_db_session_time(d.oid) AS session_time, pg_catalog.pg_stat_get_db_active_time(d.oid) AS active_time,
           pg_catalog.pg_stat_get_db_idle_in_transaction_time(d.oid) AS idle_in_transaction_time,
           pg_catalog.pg_stat_get_db_sessions(d.oid) AS sessions, pg_catalog.pg_stat_get_db_sessions_abandoned(d.oid) AS sessions_abandoned,
           pg_catalog.pg_stat_get_db_sessions_fatal(d.oid) AS sessions_fatal, pg_catalog.pg_stat_get_db_sessions_killed(d.oid) AS sessions_killed,
           pg_catalog.pg_stat_get_db_stat_reset_time(d.oid) AS stats_reset
    FROM (SELECT 0::oid AS oid, NULL::name AS datname UNION ALL SELECT oid, datname FROM pg_catalog.pg_database) d;

CREATE VIEW pg_catalog.pg_stat_database_conflicts AS
    SELECT d.oid AS datid, d.datname, pg_catalog.pg_stat_get_db_conflict_tablespace(d.oid) AS confl_tablespace,
           pg_catalog.pg_stat_get_db_conflict_lock(d.oid) AS confl_lock, pg_catalog.pg_stat_get_db_conflict_snapshot(d.oid) AS confl_snapshot,
           pg_catalog.pg_stat_get_db_conflict_bufferpin(d.oid) AS confl_bufferpin,
           pg_catalog.pg_stat_get_db_conflict_startup_deadlock(d.oid) AS confl_deadlock
    FROM pg_catalog.pg_database d;

CREATE VIEW pg_catalog.pg_stat_user_functions AS
    SELECT p.oid AS funcid, n.nspname AS schemaname, p.proname AS funcname, pg_catalog.pg_stat_get_function_calls(p.oid) AS calls,
           pg_catalog.pg_stat_get_function_total_time(p.oid) AS total_time, pg_catalog.pg_stat_get_function_self_time(p.oid) AS self_time
    FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE p.prolang <> 12 AND pg_catalog.pg_stat_get_function_calls(p.oid) IS NOT NULL;

CREATE VIEW pg_catalog.pg_stat_xact_user_functions AS
    SELECT p.oid AS funcid, n.nspname AS schemaname, p.proname AS funcname, pg_catalog.pg_stat_get_xact_function_calls(p.oid) AS calls,
           pg_catalog.pg_stat_get_xact_function_total_time(p.oid) AS total_time, pg_catalog.pg_stat_get_xact_function_self_time(p.oid) AS self_time
    FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE p.prolang <> 12 AND pg_catalog.pg_stat_get_xact_function_calls(p.oid) IS NOT NULL;

CREATE VIEW pg_catalog.pg_stat_bgwriter AS
    SELECT pg_catalog.pg_stat_get_bgwriter_timed_checkpoints() AS checkpoints_timed,
           pg_catalog.pg_stat_get_bgwriter_requested_checkpoints() AS checkpoints_req,
           pg_catalog.pg_stat_get_checkpoint_write_time() AS checkpoint_write_time, pg_catalog.pg_stat_get_checkpoint_sync_time() AS checkpoint_sync_time,
           pg_catalog.pg_stat_get_bgwriter_buf_written_checkpoints() AS buffers_checkpoint,
           pg_catalog.pg_stat_get_bgwriter_buf_written_clean() AS buffers_clean, pg_catalog.pg_stat_get_bgwriter_maxwritten_clean() AS maxwritten_clean,
           pg_catalog.pg_stat_get_buf_written_backend() AS buffers_backend, pg_catalog.pg_stat_get_buf_fsync_backend() AS buffers_backend_fsync,
           pg_catalog.pg_stat_get_buf_alloc() AS buffers_alloc, pg_catalog.pg_stat_get_bgwriter_stat_reset_time() AS stats_reset;

CREATE VIEW pg_catalog.pg_stat_archiver AS
    SELECT s.archived_count, s.last_archived_wal, s.last_archived_time, s.failed_count, s.last_failed_wal, s.last_failed_time, s.stats_reset
    FROM pg_catalog.pg_stat_get_archiver() s;

CREATE VIEW pg_catalog.pg_stat_wal AS
    SELECT w.wal_records, w.wal_fpi, w.wal_bytes, w.wal_buffers_full, w.wal_write, w.wal_sync, w.wal_write_time, w.wal_sync_time, w.stats_reset
    FROM pg_catalog.pg_stat_get_wal() w;

CREATE VIEW pg_catalog.pg_stat_slru AS
    SELECT s.name, s.blks_zeroed, s.blks_hit, s.blks_read, s.blks_written, s.blks_exists, s.flushes, s.truncates, s.stats_reset
    FROM pg_catalog.pg_stat_get_slru() s;

CREATE VIEW pg_catalog.pg_stat_replication AS
    SELECT s.pid, s.usesysid, u.rolname AS usename, s.application_name, s.client_addr, s.client_hostname, s.client_port, s.backend_start,
           s.backend_xmin, w.state, w.sent_lsn, w.write_lsn, w.flush_lsn, w.replay_lsn, w.write_lag, w.flush_lag, w.replay_lag, w.sync_priority,
           w.sync_state, w.reply_time
    FROM pg_catalog.pg_stat_get_activity(NULL) s JOIN pg_catalog.pg_stat_get_wal_senders() w ON s.pid = w.pid
         LEFT JOIN pg_catalog.pg_authid u ON s.usesysid = u.oid;

CREATE VIEW pg_catalog.pg_stat_progress_vacuum AS
    SELECT s.pid, s.datid, d.datname, s.relid,
           CASE s.param1 WHEN 0 THEN 'initializing' WHEN 1 THEN 'scanning heap' WHEN 2 THEN 'vacuuming indexes' WHEN 3 THEN 'vacuuming heap'
                         WHEN 4 THEN 'cleaning up indexes' WHEN 5 THEN 'truncating heap' WHEN 6 THEN 'performing final cleanup' END AS phase,
           s.param2 AS heap_blks_total, s.param3 AS heap_blks_scanned, s.param4 AS heap_blks_vacuumed, s.param5 AS index_vacuum_count,
           s.param6 AS max_dead_tuples, s.param7 AS num_dead_tuples
    FROM pg_catalog.pg_stat_get_progress_info('VACUUM') s LEFT JOIN pg_catalog.pg_database d ON s.datid = d.oid;

CREATE VIEW pg_catalog.pg_stat_progress_analyze AS
    SELECT s.pid, s.datid, d.datname, s.relid,
           CASE s.param1 WHEN 0 THEN 'initializing' WHEN 1 THEN 'acquiring sample rows' WHEN 2 THEN 'acquiring inherited sample rows'
                         WHEN 3 THEN 'computing statistics' WHEN 4 THEN 'computing extended statistics' WHEN 5 THEN 'finalizing analyze' END AS phase,
           s.param2 AS sample_blks_total, s.param3 AS sample_blks_scanned, s.param4 AS ext_stats_total, s.param5 AS ext_stats_computed,
           s.param6 AS child_tables_total, s.param7 AS child_tables_done, s.param8::oid AS current_child_table_relid
    FROM pg_catalog.pg_stat_get_progress_info('ANALYZE') s LEFT JOIN pg_catalog.pg_database d ON s.datid = d.oid;

CREATE VIEW pg_catalog.pg_stat_progress_cluster AS
    SELECT s.pid, s.datid, d.datname, s.relid, CASE s.param1 WHEN 1 THEN 'CLUSTER' WHEN 2 THEN 'VACUUM FULL' END AS command,
           CASE s.param2 WHEN 0 THEN 'initializing' WHEN 1 THEN 'seq scanning heap' WHEN 2 THEN 'index scanning heap' WHEN 3 THEN 'sorting tuples'
                         WHEN 4 THEN 'writing new heap' WHEN 5 THEN 'swapping relation files' WHEN 6 THEN 'rebuilding index'
                         WHEN 7 THEN 'performing final cleanup' END AS phase,
           s.param3::oid AS cluster_index_relid, s.param4 AS heap_tuples_scanned, s.param5 AS heap_tuples_written, s.param6 AS heap_blks_total,
           s.param7 AS heap_blks_scanned, s.param8 AS index_rebuild_count
    FROM pg_catalog.pg_stat_get_progress_info('CLUSTER') s LEFT JOIN pg_catalog.pg_database d ON s.datid = d.oid;

CREATE VIEW pg_catalog.pg_stat_progress_create_index AS
    SELECT s.pid, s.datid, d.datname, s.relid, s.param7::oid AS index_relid,
           CASE s.param1 WHEN 1 THEN 'CREATE INDEX' WHEN 2 THEN 'CREATE INDEX CONCURRENTLY' WHEN 3 THEN 'REINDEX'
                         WHEN 4 THEN 'REINDEX CONCURRENTLY' END AS command,
           CASE s.param10 WHEN 0 THEN 'initializing' WHEN 1 THEN 'waiting for writers before build'
                          WHEN 2 THEN 'building index' || COALESCE((': ' || pg_catalog.pg_indexam_progress_phasename(s.param9::oid, s.param11)), '')
                          WHEN 3 THEN 'waiting for writers before validation' WHEN 4 THEN 'index validation: scanning index'
                          WHEN 5 THEN 'index validation: sorting tuples' WHEN 6 THEN 'index validation: scanning table'
                          WHEN 7 THEN 'waiting for old snapshots' WHEN 8 THEN 'waiting for readers before marking dead'
                          WHEN 9 THEN 'waiting for readers before dropping' END AS phase,
           s.param4 AS lockers_total, s.param5 AS lockers_done, s.param6 AS current_locker_pid, s.param16 AS blocks_total, s.param17 AS blocks_done,
           s.param12 AS tuples_total, s.param13 AS tuples_done, s.param14 AS partitions_total, s.param15 AS partitions_done
    FROM pg_catalog.pg_stat_get_progress_info('CREATE INDEX') s LEFT JOIN pg_catalog.pg_database d ON s.datid = d.oid;

CREATE VIEW pg_catalog.pg_stat_progress_basebackup AS
    SELECT s.pid,
           CASE s.param1 WHEN 0 THEN 'initializing' WHEN 1 THEN 'waiting for checkpoint to finish' WHEN 2 THEN 'estimating backup size'
                         WHEN 3 THEN 'streaming database files' WHEN 4 THEN 'waiting for wal archiving to finish' WHEN 5 THEN 'transferring wal files' END
           AS phase,
           CASE s.param2 WHEN -1 THEN NULL ELSE s.param2 END AS backup_total, s.param3 AS backup_streamed, s.param4 AS tablespaces_total,
           s.param5 AS tablespaces_streamed
    FROM pg_catalog.pg_stat_get_progress_info('BASEBACKUP') s;

CREATE VIEW pg_catalog.pg_stat_progress_copy AS
    SELECT s.pid, s.datid, d.datname, s.relid, CASE s.param5 WHEN 1 THEN 'COPY FROM' WHEN 2 THEN 'COPY TO' END AS command,
           CASE s.param6 WHEN 1 THEN 'FILE' WHEN 2 THEN 'PROGRAM' WHEN 3 THEN 'PIPE' WHEN 4 THEN 'CALLBACK' END AS "type",
           s.param1 AS bytes_processed, s.param2 AS bytes_total, s.param3 AS tuples_processed, s.param4 AS tuples_excluded
    FROM pg_catalog.pg_stat_get_progress_info('COPY') s LEFT JOIN pg_catalog.pg_database d ON s.datid = d.oid;
