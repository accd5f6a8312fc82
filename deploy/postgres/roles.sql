-- The roles of a deployment: psql -d lamppost -f deploy/postgres/roles.sql, as a superuser or as the owner of the database.
-- Before: createdb lamppost. Then npm run migrate as lamppost_owner (and no DATABASE_DIRECT_URL of another role), and this once more.
-- Run it again after each upgrade; it may be run at any time.
--   lamppost_owner    owns the tables and changes them. Only npm run migrate uses it.
--   lamppost_service  is the role in DATABASE_URL. It reads and writes rows. It can neither change tables nor switch
--                     off the triggers that keep the books.
-- Neither has a password yet: \password lamppost_owner, \password lamppost_service.

do $$
begin
  if not exists (select from pg_roles where rolname = 'lamppost_owner') then
    create role lamppost_owner login nosuperuser nocreatedb nocreaterole;
  end if;
  if not exists (select from pg_roles where rolname = 'lamppost_service') then
    create role lamppost_service login nosuperuser nocreatedb nocreaterole;
  end if;
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect, create on database %I to lamppost_owner', current_database());
  execute format('grant connect on database %I to lamppost_service', current_database());
end $$;

-- A statement takes milliseconds. The service says so for each session itself; behind a pooler it can't, and these hold.
alter role lamppost_service set statement_timeout = '1500ms';
alter role lamppost_service set lock_timeout = '1s';
alter role lamppost_service set idle_in_transaction_session_timeout = '2s';

revoke create on schema public from public;
grant usage, create on schema public to lamppost_owner;
grant usage on schema public to lamppost_service;

-- A role that is neither a superuser nor the owner may act for the owner only as a member of it.
do $$
begin
  if not pg_has_role(current_user, 'lamppost_owner', 'member') then
    execute format('grant lamppost_owner to %I', current_user);
  end if;
end $$;

-- The queues, if they are in Postgres.
create schema if not exists bullmq authorization lamppost_owner;
grant usage on schema bullmq to lamppost_service;

-- The present tables, and those that migrations will make.
grant select, insert, update, delete on all tables in schema public, bullmq to lamppost_service;
grant usage, select on all sequences in schema public, bullmq to lamppost_service;
alter default privileges for role lamppost_owner in schema public, bullmq
  grant select, insert, update, delete on tables to lamppost_service;
alter default privileges for role lamppost_owner in schema public, bullmq
  grant usage, select on sequences to lamppost_service;

-- Only the owner may delete or change these rows.
do $$
declare
  kept text;
begin
  foreach kept in array array['migration', 'ledger_entry', 'admin_audit'] loop
    if to_regclass('public.' || kept) is not null then
      execute format('revoke update, delete on public.%I from lamppost_service', kept);
    end if;
  end loop;
  if to_regclass('public.migration') is not null then
    revoke insert on public.migration from lamppost_service;
  end if;
end $$;
