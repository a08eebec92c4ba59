import { type RawBuilder, sql } from 'kysely';
import { ensureAgainFunction } from '../0001-0029/0004-retention';
import { ANALYZED_AFTER } from '../0001-0029/0026-analyze';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds counts of the firings of ended months. The table `firing_counts` has one row per range of days
 * and tenant, and one for each later change of what is counted. A sweep later adds these rows up into one row per month
 * and tenant. The firings before `counted_to` in `meta` are counted. The counts of a retired month stay as they were.
 */
export function counts(schema: string): LedgerMigration {
  const name = (object: string) => sql.id(schema, object);
  return {
    oldestProgram: 8,
    steps: [
      step(
        sql`create table ${name('firing_counts')} (
          day date not null,
          tenant text not null,
          summed boolean not null default false,
          ${sql.join([...Object.keys(COUNTED), 'missed'].map((count) => sql`${sql.id(count)} bigint not null default 0`))})`,
        sql`create index firing_counts_day on ${name('firing_counts')} (day, tenant)`,
        // `firing_counts_changes` has the rows that a sweep adds up.
        sql`create index firing_counts_changes on ${name('firing_counts')} (day, tenant) where not summed`,
        followFunction(schema),
        beginFunction(schema),
        countFunction(schema),
        ensureFollowedFunction(schema),
      ),
      // For a gap that ended in counted time, `missed` has how many of its occurrences have no firing.
      step(sql`alter table ${name('gaps')} add column missed bigint`),
      buildIndex('gaps_uncounted', 'gaps', `(to_time) where missed is null`),
    ],
  };
}

/** What is counted about a month's firings. */
const COUNTED = {
  total: sql`true`,
  linked: sql`run_id is not null`,
  abandoned: sql`state = 'abandoned'`,
  skipped: sql`state = 'skipped'`,
  completed: sql`outcome = 'completed'`,
  failed: sql`outcome in ('failed', 'timed_out')`,
  attempted: sql`recovery is not null`,
  succeeded: sql`recovery is not null and run_id is not null`,
  gave_up: sql`recovery is not null and state = 'abandoned'`,
};

const COLUMNS = sql.join(Object.keys(COUNTED).map((count) => sql.id(count)));

function counted(sign: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(Object.values(COUNTED).map((which) => sql`coalesce(sum(${sign}) filter (where ${which}), 0)`));
}

const FOLLOW = sql`create trigger follow_counts after insert or update or delete on %I for each row execute function follow_counts()`;

/** A month that lies before `counted_to` gets the trigger `follow_counts` when it is created. */
const FOLLOW_AT_ONCE = sql`if lo < (select (value #>> '{}')::timestamptz from meta where key = 'counted_to') then
        execute format('${FOLLOW}', part);
      end if;`;

/** `ensure_partition` as in migration 0026. A month before `counted_to` also gets the trigger `follow_counts`. */
export function ensureFollowedFunction(schema: string) {
  const storage = sql`fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, ${ANALYZED_AFTER}`;
  return ensureAgainFunction(schema, sql`create or replace`, storage, FOLLOW_AT_ONCE);
}

/**
 * `follow_counts` changes the counts of a month when a firing changes. The function adds a row to the counts and
 * updates no row of them, so that writers do not wait for each other.
 */
function followFunction(schema: string) {
  return sql`create function ${sql.id(schema, 'follow_counts')}() returns trigger language plpgsql security definer ${settings(schema)} as $$
    declare
      of_schedule text := coalesce(new.schedule_id, old.schedule_id);
      of_time timestamptz := coalesce(new.scheduled_time, old.scheduled_time);
    begin
      -- A month that is restored is among the counts already.
      if current_setting('escapement.counted', true) = 'yes' then return null; end if;
      if tg_op = 'UPDATE' then
        if (old.state, old.outcome, old.run_id is null, old.recovery is null)
          is not distinct from (new.state, new.outcome, new.run_id is null, new.recovery is null) then return null; end if;
      else
        update gaps set missed = null where schedule_id = of_schedule and of_time between from_time and to_time;
      end if;
      insert into firing_counts (day, tenant, ${COLUMNS})
        select (of_time at time zone 'UTC')::date,
          coalesce((select s.tenant from schedules s where s.schedule_id = of_schedule), ''), ${counted(sql`x.sign`)}
        from (values (-1, old.state, old.outcome, old.run_id, old.recovery), (1, new.state, new.outcome, new.run_id, new.recovery))
          as x (sign, state, outcome, run_id, recovery) where x.state is not null;
      return null;
    end $$`;
}

/**
 * Once a call of `begin_counts` has committed, each change of what is counted of the month's firings is added to the
 * counts. The function waits at most 100 ms for transactions that have written firings of this month, and then fails.
 */
function beginFunction(schema: string) {
  return sql`create function ${sql.id(schema, 'begin_counts')}(month timestamptz) returns void
    language plpgsql security definer ${settings(schema)} set lock_timeout = '100ms' as $$
    declare part text := 'firings_' || to_char(month at time zone 'UTC', 'YYYYMM');
    begin
      -- One at a time: whoever comes second sees what the first has made.
      execute format('lock table %I in share row exclusive mode', part);
      if not exists (select from pg_trigger where tgname = 'follow_counts'
        and tgrelid = to_regclass(format('%I.%I', ${sql.lit(schema)}, part))) then
        execute format('${FOLLOW}', part);
      end if;
    -- Another trigger has counted and retired it by now.
    exception when undefined_table then return;
    end $$`;
}

/**
 * `count_firings` counts the firings of whole days of a month. The caller first calls `begin_counts` for the month, so
 * that later changes are added to the counts. The function locks `firings`, so that no month is created until it has
 * committed. It fails if an earlier month lacks the trigger `follow_counts`.
 *
 * The function returns whether it counted. The function counts nothing if the first day is counted already, or while
 * another call counts.
 */
export function countFunction(schema: string, making = sql`create`) {
  return sql`${making} function ${sql.id(schema, 'count_firings')}(from_time timestamptz, to_time timestamptz) returns boolean
    language plpgsql security definer ${settings(schema)} set lock_timeout = '1s' as $$
    declare
      part text := 'firings_' || to_char(from_time at time zone 'UTC', 'YYYYMM');
      month date := date_trunc('month', from_time at time zone 'UTC')::date;
      first date := (from_time at time zone 'UTC')::date;
      last date := (to_time at time zone 'UTC')::date;
    begin
      if not pg_try_advisory_xact_lock(hashtext(${sql.lit(`escapement count ${schema}`)})) then return false; end if;
      if from_time < (select (value #>> '{}')::timestamptz from meta where key = 'counted_to') then return false; end if;
      execute format($count$with gone as (delete from firing_counts c where c.day >= $1 and c.day < $2 and c.missed = 0)
        insert into firing_counts (day, tenant, summed, ${COLUMNS})
          select $1, coalesce(s.tenant, ''), $3, ${counted(sql`1`)}
          from %I f left join schedules s using (schedule_id)
          where f.scheduled_time >= $4 and f.scheduled_time < $5 group by 2$count$, part)
        using first, last, first = month and last = (month + interval '1 month')::date, from_time, to_time;
      lock table only firings in share update exclusive mode;
      if exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ${sql.lit(`${schema}.firings`)}::regclass and c.relname <= part
          and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'follow_counts')) then
        raise exception 'a month before % is not followed', to_time using errcode = '55P03';
      end if;
      insert into meta (key, value) values ('counted_to', to_jsonb(to_time))
        on conflict (key) do update set value = excluded.value
        where (meta.value #>> '{}')::timestamptz < (excluded.value #>> '{}')::timestamptz;
      return true;
    end $$`;
}

/** A function that runs with its owner's rights must not depend on settings of the calling session. */
function settings(schema: string): RawBuilder<unknown> {
  return sql`set search_path = ${sql.id(schema)}, pg_temp set timezone = 'UTC' set datestyle = 'ISO'`;
}
