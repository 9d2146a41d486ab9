-- Session user and current user
create role regress_sa1; create role regress_sa2 superuser;
set session authorization regress_sa1;
select session_user, current_user;
set role postgres;
set session authorization regress_sa2;
show session_authorization; show role; show is_superuser;
reset session authorization;
select session_user, current_user;
show is_superuser;
set session authorization regress_sa2;
show is_superuser;
set role regress_sa1;
show is_superuser;
select session_user, current_user;
set role none;
select session_user, current_user;
set session authorization default;
set session authorization nosuch;
begin; set local session authorization regress_sa1; select session_user, current_user; commit; select session_user, current_user;
begin; set session authorization regress_sa1; rollback; select session_user, current_user;
create role regress_sa3; grant regress_sa3 to regress_sa1;
set session authorization regress_sa1; set role regress_sa3; select session_user, current_user; reset role; select current_user; reset session authorization;
alter role regress_sa1 set nosuch = 'x';
alter role regress_sa1 set nosuch.y = 'x';
alter role regress_sa1 set work_mem = 'x';

set time zone -3; show timezone; set time zone 5.5; show timezone; set time zone interval '-08:30' hour to minute; show timezone; set timezone = 'UTC'; set timezone = '-3:30'; show timezone; set timezone to 7; show timezone; set timezone='<foo>3'; show timezone; set timezone = 'nosuch'; select now() is not null;
set transform_null_equals = on; select null = null, 1 = null, null <> null; reset transform_null_equals;

drop role regress_sa1, regress_sa2, regress_sa3;
