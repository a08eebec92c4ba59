import { type RawBuilder, sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function retention(schema: string): LedgerMigration {
  const name = (object: string) => sql.id(schema, object);
  return {
    oldestProgram: 1,
    steps: [
      step(
        sql`drop function ${name('ensure_partition')}(timestamptz)`,
        ensureAgainFunction(schema),
        retireFunction(schema),
        sql`revoke execute on function ${name('ensure_partition')}(timestamptz, boolean),
        ${name('retire_partition')}(timestamptz) from public`,
        incarnationFunction(schema),
      ),
    ],
  };
}

/**
 * `ensure_partition` creates the partition of a month as in migration 0001, and a retired month only if `allow_retired`
 * is set.
 *
 * @param making how the function is created
 * @param storage storage parameters of each month
 * @param then further statements that run in the transaction that creates a month
 */
export function ensureAgainFunction(
  schema: string,
  making = sql`create`,
  storage = sql`fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02`,
  then: RawBuilder<unknown> = sql``,
) {
  return sql`${making} function ${sql.id(schema, 'ensure_partition')}(instant timestamptz, allow_retired boolean default false)
    returns void language plpgsql security definer ${settings(schema)} as $$
    declare
      ${monthOf('instant')}
    begin
      if to_regclass(format('%I.%I', ${sql.lit(schema)}, part)) is not null then return; end if;
      set local lock_timeout = '3s';
      lock table only firings in share update exclusive mode;
      if to_regclass(format('%I.%I', ${sql.lit(schema)}, part)) is not null then return; end if;
      -- Under the lock, which whoever retires a month waits for.
      if not allow_retired and lo < (select (value #>> '{}')::timestamptz from meta where key = 'retention_floor') then
        raise exception 'month % is retired', part using errcode = 'ES001';
      end if;
      execute format('create table %I (like firings including defaults including constraints including indexes
        including storage) with (${storage})', part);
      execute format('alter table firings attach partition %I for values from (%L) to (%L)', part, lo, hi);
      ${then}
    end $$`;
}

/**
 * `retire_partition` detaches the month that contains an instant, unless the month has an open firing or letter. After
 * that, `ensure_partition` creates the month only if `allow_retired` is set. DETACH locks the whole table, and DETACH
 * CONCURRENTLY cannot run in a function. So the function waits for its lock for at most 100 ms, since claims wait
 * behind it. All conditions are also checked before the lock, so that claims usually need not wait for a month that
 * cannot be retired.
 */
function retireFunction(schema: string) {
  return sql`create function ${sql.id(schema, 'retire_partition')}(month timestamptz) returns boolean
    language plpgsql security definer ${settings(schema)} set lock_timeout = '100ms' as $$
    declare
      ${monthOf('month')}
      archived text := 'archived_' || part;
      again int := 1;
      busy boolean;
    begin
      -- One process at a time: the first round locks the month, and whoever detaches the month would wait for that lock.
      if not pg_try_advisory_xact_lock(hashtext(${sql.lit(`escapement retire ${schema}`)})) then return false; end if;
      for look in 1..2 loop
        if to_regclass(format('%I.%I', ${sql.lit(schema)}, part)) is null then return false; end if;
        execute format('select exists (select from %I where state in (''buffered'', ''claimed'', ''linked''))', part)
          into busy;
        if busy or exists (select from dead_letters where state in ('open', 'redriving')
          and scheduled_time >= lo and scheduled_time < hi) then return false; end if;
        if look = 1 then lock table firings in access exclusive mode; end if;
      end loop;
      while to_regclass(format('%I.%I', ${sql.lit(schema)}, archived)) is not null loop
        again := again + 1;
        archived := 'archived_' || part || '_' || again;
      end loop;
      execute format('alter table firings detach partition %I', part);
      execute format('alter table %I rename to %I', part, archived);
      insert into meta (key, value) values ('retention_floor', to_jsonb(hi))
        on conflict (key) do update set value = excluded.value
        where (meta.value #>> '{}')::timestamptz < (excluded.value #>> '{}')::timestamptz;
      return true;
    end $$`;
}

/**
 * `incarnation` returns what identifies the database. Promoting a standby begins a new timeline, and a restored dump
 * gives its tables new OIDs. Another server may use the same OIDs, so the server's identifier is included. Values that
 * a managed Postgres hides are null. The function runs with its owner's rights, so that roles with different rights get
 * the same identity.
 */
function incarnationFunction(schema: string) {
  return sql`create function ${sql.id(schema, 'incarnation')}() returns jsonb
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare
      timeline text;
      server text;
    begin
      begin
        timeline := substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
      exception when others then
        timeline := null;
      end;
      begin
        server := (select system_identifier::text from pg_control_system());
      exception when others then
        server := null;
      end;
      return jsonb_build_object('timeline', timeline, 'systemIdentifier', server,
        'databaseOid', (select oid::bigint from pg_database where datname = current_database()),
        'metaOid', ${sql.lit(`${schema}.meta`)}::regclass::oid::bigint);
    end $$`;
}

/** A function that runs with its owner's rights must not depend on settings of the calling session. */
function settings(schema: string): RawBuilder<unknown> {
  return sql`set search_path = ${sql.id(schema)}, pg_temp set timezone = 'UTC' set datestyle = 'ISO'`;
}

function monthOf(parameter: string): RawBuilder<unknown> {
  return sql.raw(`lo timestamptz := date_trunc('month', ${parameter} at time zone 'UTC') at time zone 'UTC';
      hi timestamptz := (date_trunc('month', ${parameter} at time zone 'UTC') + interval '1 month') at time zone 'UTC';
      part text := 'firings_' || to_char(lo at time zone 'UTC', 'YYYYMM');`);
}
