import { sql } from 'kysely';
import type { Gap } from '../../core/decisions/catchup';
import type { EncodedPayload, ScheduleDefinition } from '../../core/definition/definition';
import type { StoredSearchAttributes } from '../../core/definition/search-attributes';
import { unlessEmpty } from '../../core/definition/unless-empty';
import { isManual } from '../../core/occurrences/manual';
import type { Store } from '../connection';
import { insertGap } from '../firings/gaps';
import { skipAllLeft } from '../firings/skip-waiting';
import { formatOf } from '../spec-format';
import { run } from '../transaction';
import type { LockedSchedule } from './lock';
import { preStartOf } from './pre-start';
import { purgedOf } from './purged';

/** All schedules of one insert have the same actor and instant. */
export interface NewSchedule {
  scheduleId: string;
  tenant: string;
  definition: ScheduleDefinition;
  /** The arguments, encoded as `Payloads`. */
  args: Uint8Array | undefined;
  /** The memo of the schedule itself, not of its workflows. */
  memo?: Record<string, EncodedPayload> | undefined;
  /** The search attributes of the schedule itself, not of its workflows. */
  searchAttributes?: StoredSearchAttributes | undefined;
  owner?: string | undefined;
  runbook?: string | undefined;
  externalId?: string | undefined;
  paused: boolean;
  /**
   * For a schedule that is created again and stays paused: since when, by whom and until when. @default paused now, by
   * the actor
   */
  keptPause?: Pick<LockedSchedule, 'pausedAt' | 'pausedBy' | 'pausedUntil'>;
  note: string | undefined;
  remainingActions: number | undefined;
  actor: string;
  /** The source that declares the schedule in code, if the schedule is applied. */
  source?: string;
  /** The first occurrence by the caller's clock; undefined if there is none. */
  nextFireAt: Date | undefined;
  /** @default the database's clock */
  now?: Date;
}

/**
 * ∅ → schedules, their first versions and their timers, in one statement that needs no transaction around it. If
 * another open transaction is creating the same ID, this waits up to 2 seconds for it, and then fails. Returns the IDs
 * of the created schedules. Nothing is written for schedules whose IDs are taken, possibly by deleted schedules.
 */
export async function insertSchedules(store: Store, schedules: NewSchedule[]): Promise<Set<string>> {
  const rows = schedules.map((schedule) => ({
    schedule_id: schedule.scheduleId,
    tenant: schedule.tenant,
    paused: schedule.paused,
    note: schedule.note ?? null,
    source: schedule.source ?? null,
    memo: unlessEmpty(schedule.memo),
    search_attributes: unlessEmpty(schedule.searchAttributes),
    owner: schedule.owner || null,
    runbook: schedule.runbook || null,
    external_id: schedule.externalId || null,
    namespace: schedule.definition.namespace,
    spec: schedule.definition.spec,
    action: schedule.definition.action,
    policies: schedule.definition.policies,
    args: schedule.args ? Buffer.from(schedule.args).toString('base64') : null,
    next_fire_at: schedule.paused ? null : (schedule.nextFireAt ?? null),
    remaining_actions: schedule.remainingActions ?? null,
    completed: isCompleted(schedule),
    spec_format: formatOf({ spec: schedule.definition.spec }),
  }));
  const actor = schedules[0]?.actor ?? null;
  // Rows are inserted in the order of their IDs: otherwise two calls that create the same schedules could deadlock. The
  // last part of the statement restores the former `lock_timeout`; the sort makes Postgres run it after the insert into
  // `schedules`.
  const { rows: created } = await run(
    store,
    sql<{ scheduleId: string | null; restored: string }>`
    with bound as materialized (
      select current_setting('lock_timeout') as former, set_config('lock_timeout', '2s', true) as own,
        date_trunc('milliseconds', coalesce(${schedules[0]?.now ?? null}::timestamptz, clock_timestamp())) as now),
    given as materialized (
      select x.*, bound.now, ${purgedOf(store)} as purged from bound cross join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (schedule_id text, tenant text,
        paused bool, note text, source text, memo jsonb, search_attributes jsonb, owner text, runbook text, external_id text, namespace text, spec jsonb, action jsonb, policies jsonb, args text,
        next_fire_at timestamptz, remaining_actions int, completed bool, spec_format int)
      where bound.own is not null),
    created as (
      insert into ${store.table('schedules')} (schedule_id, version, tenant, paused, paused_at, paused_by, note, source, memo,
        search_attributes, owner, runbook, external_id, created_at)
      select schedule_id, ${FIRST_VERSION}, tenant, paused, case when paused then now end, case when paused then ${actor}::text end, note, source, memo,
        search_attributes, owner, runbook, external_id, now from given order by schedule_id
      on conflict (schedule_id) do nothing returning schedule_id, created_at),
    versioned as (
      insert into ${store.table('schedule_versions')}
        (schedule_id, version, namespace, spec, action, args, policies, actor, created_at)
      select g.schedule_id, ${FIRST_VERSION}, g.namespace, g.spec, g.action, decode(g.args, 'base64'), g.policies,
        ${actor}, c.created_at
      from given g join created c using (schedule_id)),
    timed as (
      insert into ${store.table('timers')} (schedule_id, spec_format, wake_at, next_fire_at, remaining_actions, answered_to,
        completed_at, completed_by, pre_start)
      select g.schedule_id, g.spec_format, case when g.paused then 'infinity' else c.created_at end, g.next_fire_at,
        g.remaining_actions, greatest(c.created_at, (g.purged ->> 'answeredTo')::timestamptz), case when g.completed then c.created_at end, case when g.completed then ${actor}::text end,
        ${preStartOf(sql`g.policies`)}
      from given g join created c using (schedule_id))
    select c.schedule_id as "scheduleId", set_config('lock_timeout', bound.former, true) as restored
    from bound left join (select schedule_id from created order by schedule_id) c on true`,
  );
  return new Set(created.flatMap(({ scheduleId }) => scheduleId ?? []));
}

/**
 * The version of a new schedule. Triggers cache definitions by ID and version, so a new schedule with the ID of an
 * erased schedule does not begin with 1 again.
 */
const FIRST_VERSION = sql`1 + coalesce((purged ->> 'version')::int, 0)`;

/**
 * Deleted → live again under the same ID, with the next version. The caller holds the schedule's lock. `gap` covers the
 * occurrences while the schedule was deleted.
 */
export async function reviveSchedule(
  transaction: Store,
  locked: LockedSchedule,
  schedule: NewSchedule,
  gap: Gap | undefined,
): Promise<void> {
  const { definition } = schedule;
  const version = locked.version + 1;
  const pause = schedule.keptPause ?? { pausedAt: locked.now, pausedBy: schedule.actor, pausedUntil: null };
  const none = { pausedAt: null, pausedBy: null, pausedUntil: null };
  const { pausedAt, pausedBy, pausedUntil } = schedule.paused ? pause : none;
  const completed = isCompleted(schedule);
  // Some firings may still wait, if the process that deleted the schedule died.
  await skipAllLeft(transaction, [schedule.scheduleId], locked.now);
  await sql`
    with at as (select x.now, (${purgedOf(transaction)} ->> 'answeredTo')::timestamptz as purged_to
      from (select ${locked.now}::timestamptz as now, ${schedule.scheduleId}::text as schedule_id) x),
    revived as (
      update ${transaction.table('schedules')} set version = ${version}, tenant = ${schedule.tenant},
        paused = ${schedule.paused}, paused_at = ${pausedAt}::timestamptz, paused_by = ${pausedBy}::text, paused_until = ${pausedUntil}::timestamptz,
        note = ${schedule.note ?? null}, source = ${schedule.source ?? null}, spec_error = null,
        set_aside_at = null, memo = ${jsonOf(schedule.memo)}::jsonb, search_attributes = ${jsonOf(schedule.searchAttributes)}::jsonb,
        owner = ${schedule.owner || null}::text, runbook = ${schedule.runbook || null}::text, external_id = ${schedule.externalId || null}::text,
        created_at = at.now, updated_at = null, deleted_at = null
      from at where schedule_id = ${schedule.scheduleId}),
    versioned as (
      insert into ${transaction.table('schedule_versions')}
        (schedule_id, version, namespace, spec, action, args, policies, actor, created_at)
      select ${schedule.scheduleId}, ${version}, ${definition.namespace}, ${JSON.stringify(definition.spec)}::jsonb,
        ${JSON.stringify(definition.action)}::jsonb, ${buffer(schedule.args)}::bytea,
        ${JSON.stringify(definition.policies)}::jsonb, ${schedule.actor}, at.now from at)
    update ${transaction.table('timers')} set spec_format = ${formatOf({ spec: definition.spec, pausedUntil })}::smallint, wake_at = at.now, answered_to = greatest(at.now, at.purged_to),
      pre_start = ${preStartOf(sql`${JSON.stringify(definition.policies)}::jsonb`)},
      next_fire_at = ${schedule.paused ? null : (schedule.nextFireAt ?? null)}::timestamptz,
      remaining_actions = ${schedule.remainingActions ?? null}::int, seq = seq + 1,
      completed_at = ${completed ? locked.now : null}::timestamptz, completed_by = ${completed ? schedule.actor : null}::text
    from at where schedule_id = ${schedule.scheduleId}`.execute(transaction.db);
  if (gap) await insertGap(transaction, schedule.scheduleId, gap, locked.now);
}

/** Whether the schedule is completed as soon as it is created: no action is left, or all its times have passed. */
function isCompleted({ remainingActions, nextFireAt, paused, definition }: NewSchedule): boolean {
  return remainingActions === 0 || (nextFireAt === undefined && !paused && !isManual(definition.spec));
}

function buffer(args: Uint8Array | undefined): Buffer | null {
  return args ? Buffer.from(args) : null;
}

function jsonOf(fields: object | undefined): string | null {
  const given = unlessEmpty(fields);
  return given ? JSON.stringify(given) : null;
}
