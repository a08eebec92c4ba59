import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function ledger(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 1,
    steps: [
      step(
        // `schedules` has one row per schedule, which mostly people change. Triggers seldom do.
        sql`create table ${name('schedules')} (
        schedule_id text primary key,
        version int not null,
        tenant text not null default '',
        paused bool not null default false,
        note text,
        source text,
        spec_error text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3),
        deleted_at timestamptz(3))`,
        sql`create index schedules_tenant on ${name('schedules')} (tenant, schedule_id) where deleted_at is null`,

        // Rows of `schedule_versions` are never updated, since each firing names the version with which it was claimed.
        sql`create table ${name('schedule_versions')} (
        schedule_id text not null,
        version int not null,
        namespace text not null,
        spec jsonb not null,
        action jsonb not null,
        args bytea,
        policies jsonb not null,
        actor text,
        created_at timestamptz(3) not null,
        primary key (schedule_id, version))`,

        // `timers` is narrow and often written, with one row per schedule. The lock on a row of `timers` is the lock of
        // its schedule.
        sql`create table ${name('timers')} (
        schedule_id text primary key,
        spec_format smallint not null,
        wake_at timestamptz(3) not null default 'infinity',
        next_fire_at timestamptz(3),
        last_fire_at timestamptz(3),
        remaining_actions int,
        answered_to timestamptz(3) not null,
        seq bigint not null default 0
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01,
              autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)`,
        sql`create index timers_due on ${name('timers')} (wake_at, schedule_id)`,

        // `firings` has no foreign key and no default partition: with either, adding or removing a month would lock
        // other tables.
        sql`create table ${name('firings')} (
        schedule_id text not null,
        scheduled_time timestamptz(3) not null,
        state text not null check (state in ('buffered', 'claimed', 'linked', 'closed', 'skipped', 'abandoned')),
        outcome text check (outcome in ('completed', 'failed', 'timed_out', 'canceled', 'terminated', 'unknown')),
        reason text,
        kind text not null check (kind in ('schedule', 'catchup', 'backfill', 'manual')),
        actor text,
        overlap text,
        namespace text not null,
        schedule_version int not null,
        workflow_id text,
        run_id text,
        epoch int not null default 0,
        owner uuid,
        check_at timestamptz(3),
        start_attempts int not null default 0,
        first_attempted_at timestamptz(3),
        start_attempted_at timestamptz(3),
        recovery jsonb,
        last_error text,
        claimed_at timestamptz(3) not null,
        linked_at timestamptz(3),
        closed_at timestamptz(3),
        primary key (schedule_id, scheduled_time),
        check ((kind = 'manual') = (date_trunc('second', scheduled_time) <> scheduled_time)),
        check ((state = 'closed') = (outcome is not null))
      ) partition by range (scheduled_time)`,
        sql`create index firings_open on ${name('firings')} (schedule_id, scheduled_time)
        where state in ('buffered', 'claimed', 'linked')`,
        sql`create index firings_work on ${name('firings')} (state, check_at, scheduled_time, schedule_id)
        where state in ('claimed', 'linked')`,
        sql`create index firings_time on ${name('firings')} using brin (scheduled_time)
        with (pages_per_range = 16)`,

        sql`create table ${name('gaps')} (
        schedule_id text not null,
        from_time timestamptz(3) not null,
        to_time timestamptz(3) not null,
        count bigint not null check (count > 0),
        reason text not null,
        recorded_at timestamptz(3) not null,
        primary key (schedule_id, from_time),
        check (from_time <= to_time))`,

        sql`create table ${name('triggers')} (
        id uuid primary key,
        host text not null,
        version text not null,
        heartbeat_at timestamptz(3) not null)`,

        sql`create table ${name('meta')} (key text primary key, value jsonb not null)`,
        sql`insert into ${name('meta')} (key, value) values
        ('installation', to_jsonb(gen_random_uuid()::text)),
        ('schema', '{"version": 1, "oldestProgram": 1}')`,

        ensurePartitionFunction(schema),
        sql`revoke execute on function ${name('ensure_partition')}(timestamptz) from public`,
      ),
    ],
  };
}

/**
 * `ensure_partition` creates the partition of the month that contains an instant. The function uses LIKE and ATTACH
 * under SHARE UPDATE EXCLUSIVE, which waits for no reader. PARTITION OF would wait for readers, and claims would wait
 * behind it. The function is SECURITY DEFINER, so that a trigger needs no right to create tables.
 */
function ensurePartitionFunction(schema: string) {
  const literal = sql.lit(schema);
  return sql`create function ${sql.id(schema, 'ensure_partition')}(instant timestamptz) returns void
    language plpgsql security definer
    set search_path = ${sql.id(schema)}, pg_temp set timezone = 'UTC' set datestyle = 'ISO' as $$
    declare
      lo timestamptz := date_trunc('month', instant at time zone 'UTC') at time zone 'UTC';
      hi timestamptz := (date_trunc('month', instant at time zone 'UTC') + interval '1 month') at time zone 'UTC';
      part text := 'firings_' || to_char(lo at time zone 'UTC', 'YYYYMM');
    begin
      if to_regclass(format('%I.%I', ${literal}, part)) is not null then return; end if;
      if lo < (select (value #>> '{}')::timestamptz from meta where key = 'retention_floor') then
        raise exception 'month % is retired', part using errcode = 'ES001';
      end if;
      set local lock_timeout = '3s';
      lock table firings in share update exclusive mode;
      if to_regclass(format('%I.%I', ${literal}, part)) is not null then return; end if;
      execute format('create table %I (like firings including defaults including constraints including indexes
        including storage) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)', part);
      execute format('alter table firings attach partition %I for values from (%L) to (%L)', part, lo, hi);
    end $$`;
}
