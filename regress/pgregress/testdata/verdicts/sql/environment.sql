-- What pg_regress sets.
show datestyle;
show timezone;
show intervalstyle;
show application_name;
show bytea_output;
show lc_messages;
select current_database();
\getenv suffix PG_DLSUFFIX
\echo :suffix :HIDE_TABLEAM :HIDE_TOAST_COMPRESSION
\getenv source PG_ABS_SRCDIR
\getenv build PG_ABS_BUILDDIR
select :'source' like '/%/verdicts' as source, :'build' like '/%' as build;
select timestamptz '2020-06-01 12:00+00' as t, interval '1 day 2 hours' as i;
