import { type RawBuilder, sql } from 'kysely';
import { DEFAULTS } from '../../core/defaults';
import { transition } from '../../core/firing';
import type { Store } from '../connection';
import { IS_WAITING_BY_KEY } from '../firings/waiting';
import { transact } from '../transaction';
import { readClock } from './record';
import { addCounts, countKind, eraseKind, type PersonalRows, type PersonalTable } from './tables';
import { isAnswerTo } from './tenants';

/** A workflow that runs, or may be about to start. */
export interface RunningWorkflow {
  scheduleId: string;
  scheduledTime: Date;
  namespace: string;
  workflowId: string | null;
}

/** The IDs of a tenant's first schedules, in order, including deleted ones. */
export async function readTenantsSchedules(store: Store, tenant: string, atMost: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select schedule_id as id from ${store.table('schedules')} where tenant = ${tenant}
    order by schedule_id limit ${atMost}`.execute(store.db);
  return rows.map(({ id }) => id);
}

/** Whether the ledger has the schedule, which may be deleted. */
export async function isKnown(store: Store, scheduleId: string): Promise<boolean> {
  const { rows } =
    await sql`select 1 as one from ${store.table('schedules')} where schedule_id = ${scheduleId}`.execute(store.db);
  return rows.length > 0;
}

export interface Running {
  running: RunningWorkflow[];
  count: number;
}

/**
 * The workflows of schedules, or of a tenant's schedules, that run or may be about to start: how many, and the first
 * {@link RUNNING_SHOWN}.
 */
export async function readRunning(store: Store, of: { scheduleIds: string[] } | { tenant: string }): Promise<Running> {
  const ids =
    'tenant' in of
      ? sql`select schedule_id from ${store.table('schedules')} where tenant = ${of.tenant}`
      : sql`select unnest(${of.scheduleIds}::text[])`;
  const { rows } = await sql<RunningWorkflow & { total: number }>`
    select schedule_id as "scheduleId", scheduled_time as "scheduledTime", namespace, workflow_id as "workflowId",
      (count(*) over ())::float8 as total
    from ${store.table('firings')} where schedule_id in (${ids}) and state in ('claimed', 'linked')
    order by schedule_id, scheduled_time limit ${RUNNING_SHOWN}`.execute(store.db);
  return { running: rows.map(({ total: _, ...row }) => row), count: rows[0]?.total ?? 0 };
}

/**
 * Delete schedules, skip their claims that nobody has announced, and discard their unsettled letters, except those of
 * parked steps. If workflows run or may be about to start, and `allowRunning` is false, this changes nothing.
 *
 * @returns in both cases, the workflows that run or may start soon
 */
export async function stopSchedules(
  store: Store,
  scheduleIds: string[],
  options: { now?: (() => Date) | undefined; allowRunning: boolean },
): Promise<Running> {
  return transact(store, async (transaction) => {
    await lockAll(transaction, scheduleIds);
    // The clock is read under the locks, since a schedule may fire during the wait for them.
    const now = options.now?.() ?? (await readClock(transaction));
    if (!options.allowRunning) {
      const found = await readRunning(transaction, { scheduleIds });
      if (found.count > 0) return found;
    }
    await sql`update ${transaction.table('schedules')} set deleted_at = coalesce(deleted_at, ${now}), updated_at = ${now}
      where schedule_id = any(${scheduleIds}::text[])`.execute(transaction.db);
    // A usual deletion lets redriven firings start, and a purge does not. Until a letter is erased, somebody could ask
    // for another redrive, so open letters are discarded too. A trigger that is about to redrive reads the letter once
    // more, under a lock. Letters of parked steps stay, since a decision about a step starts nothing.
    await sql`update ${transaction.table('dead_letters')} set state = 'discarded', redrive = case jsonb_typeof(redrive) when 'object' then redrive - 'lookAt' else redrive end,
        note = 'its schedule is being purged', updated_at = ${now}
      where schedule_id = any(${scheduleIds}::text[]) and state in ('open', 'redriving') and kind <> 'parked'`.execute(
      transaction.db,
    );
    // A usual deletion lets claims start that were made ahead and whose time has not come. A purge skips these too.
    await sql`update ${transaction.table('firings')} f set state = ${transition('claimed', 'skipped')}, reason = 'schedule_deleted',
        closed_at = ${now}, check_at = null
      where f.schedule_id = any(${scheduleIds}::text[]) and ${IS_WAITING_BY_KEY}`.execute(transaction.db);
    // A cut-over sets `answered_to` to just before Temporal's next occurrence, which may be weeks ahead, and a roll
    // back does not set it back. A later schedule with this ID would fire nothing until then. So `answered_to` is cut
    // to the time up to which firings may have been handed over ahead. An update has set it back before firings that
    // were handed over ahead: their rows will be erased, so `answered_to` is set to the last one.
    await sql`update ${transaction.table('timers')} t set wake_at = 'infinity', next_fire_at = null, seq = seq + 1,
        answered_to = greatest(case when exists (select from ${transaction.table('moves')} m where m.schedule_id = t.schedule_id)
          then least(answered_to, ${new Date(now.getTime() + DEFAULTS.longestPreStartMilliseconds)}) else answered_to end,
          (select max(f.scheduled_time) from ${transaction.table('firings')} f where f.schedule_id = t.schedule_id
            and f.scheduled_time > ${now} and f.kind in ('schedule', 'catchup') and f.state in ('claimed', 'linked', 'closed')))
      where schedule_id = any(${scheduleIds}::text[])`.execute(transaction.db);
    return readRunning(transaction, { scheduleIds });
  });
}

/** How many running workflows a message names. */
export const RUNNING_SHOWN = 10;

async function lockAll(transaction: Store, scheduleIds: string[]): Promise<void> {
  await sql`select 1 from ${transaction.table('timers')} where schedule_id = any(${scheduleIds}::text[])
    order by schedule_id for update`.execute(transaction.db);
}

/**
 * Erase the rows that {@link rowsOf} selects for deleted schedules, batch by batch. Once somebody has created one of
 * the schedules again, no more rows of this schedule are erased.
 *
 * @param tenant the tenant whose schedules these are, if the tenant is erased too: its stored answers are not emptied,
 * since they are deleted at the end
 */
export async function eraseRows(
  store: Store,
  scheduleIds: string[],
  tables: PersonalTable[],
  tenant?: string,
): Promise<Record<string, number>> {
  // The statement's snapshot makes this safe: either it lacks the rows of a schedule that was created again, or it
  // shows that this schedule exists.
  const stillDeleted = sql`array(select i from unnest(${scheduleIds}::text[]) i where not exists (
    select from ${store.table('schedules')} s where s.schedule_id = i and s.deleted_at is null))`;
  const counts: Record<string, number> = {};
  for (const rows of rowsOf(store, stillDeleted, tables, tenant)) addCounts(counts, await eraseKind(store, rows));
  return counts;
}

/** Whether a stored answer of the HTTP API describes the schedule. */
export async function isInAnswers(store: Store, scheduleId: string): Promise<boolean> {
  const { rows } = await sql`select 1 as one from ${store.table('api_requests')}
    where strpos(body, '"scheduleId":' || to_json(${scheduleId}::text)::text) > 0 limit 1`.execute(store.db);
  return rows.length > 0;
}

export async function countErased(
  store: Store,
  scheduleIds: string[],
  tables: PersonalTable[],
  tenant?: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const ids = sql`${scheduleIds}::text[]`;
  for (const rows of rowsOf(store, ids, tables, tenant)) addCounts(counts, await countKind(store, rows));
  return counts;
}

/** How many schedules and versions {@link eraseSchedules} would erase. */
export async function countDefinitions(
  store: Store,
  scheduleIds: string[],
): Promise<{ schedules: number; versions: number }> {
  const { rows } = await sql<{ schedules: number; versions: number }>`
    select count(distinct s.schedule_id)::int as schedules, count(v.schedule_id)::int as versions
    from ${store.table('schedules')} s left join ${store.table('schedule_versions')} v using (schedule_id)
    where s.schedule_id = any(${scheduleIds}::text[])`.execute(store.db);
  return rows[0]!;
}

/** Leases are erased before the firings that name their holders. */
function rowsOf(store: Store, ids: RawBuilder<unknown>, tables: PersonalTable[], tenant?: string): PersonalRows[] {
  const holders = sql`select workflow_id from ${store.table('firings')} where schedule_id = any(${ids})`;
  return [
    // Stored answers of the HTTP API may contain all data of the schedule. An answer may also have its ID by chance, as
    // the name of something else. So the rows stay: without its row, a request that is sent again would run again.
    {
      kind: 'api_requests',
      table: 'api_requests',
      condition: sql`exists (select from unnest(${ids}) i where strpos(x.body, to_json(i)::text) > 0)
        and not ${tenant === undefined ? sql`false` : isAnswerTo(tenant)}`,
      emptied: sql`body = 'null', headers = '{}'`,
    },
    // The name of a lease's holder begins with the workflow ID, a slash and the run ID. A workflow ID may have slashes.
    // A lease that is still held is left to the sweep, which deletes it a day after its end.
    {
      kind: 'leases',
      table: 'leases',
      condition: sql`x.expires_at < clock_timestamp() and regexp_replace(x.holder, '/[0-9a-f]{8}-[0-9a-f-]{27} .*$', '') in (${holders})`,
    },
    ...tables
      .filter(({ bySchedule }) => bySchedule)
      .map(({ kind, name, later }) => ({ kind, table: name, condition: sql`x.schedule_id = any(${ids})`, later })),
  ];
}

/**
 * Erase the definitions of schedules. For a new schedule with the same ID, `meta` keeps the time up to which the erased
 * schedule was answered, and its largest version number, as `purgedOf` explains. Both stay for good, since a trigger
 * may know an erased definition for as long as the trigger runs.
 *
 * @returns how many schedules and rows were erased; fewer schedules than given if somebody has created one again, or
 * one was erased before
 */
export async function eraseSchedules(
  store: Store,
  scheduleIds: string[],
  guards: Map<string, string>,
): Promise<{ schedules: number; counts: Record<string, number> }> {
  return transact(store, async (transaction) => {
    await lockAll(transaction, scheduleIds);
    const { rows: gone } = await sql<{ id: string; answeredTo: Date; version: number }>`
      with gone as (delete from ${transaction.table('schedules')}
        where schedule_id = any(${scheduleIds}::text[]) and deleted_at is not null returning schedule_id, version)
      select schedule_id as id, t.answered_to as "answeredTo", greatest(gone.version,
        (select -min(v.version) from ${transaction.table('schedule_versions')} v where v.schedule_id = gone.schedule_id)) as version
      from gone join ${transaction.table('timers')} t using (schedule_id)`.execute(transaction.db);
    const ids = gone.map(({ id }) => id);
    const erase = async (table: 'firings' | 'dead_letters' | 'schedule_versions' | 'timers') => {
      const { numAffectedRows = 0n } = await sql`delete from ${transaction.table(table)}
        where schedule_id = any(${ids}::text[])`.execute(transaction.db);
      return Number(numAffectedRows);
    };
    // Since the rows were erased, a trigger may have adopted runs of these schedules. It needs their timers for that.
    const counts = { firings: await erase('firings'), letters: await erase('dead_letters') };
    const versions = await erase('schedule_versions');
    await erase('timers');
    await sql`insert into ${transaction.table('meta')} (key, value)
      select x.key, jsonb_build_object('answeredTo', x.answered_to, 'version', x.version)
      from unnest(${ids.map((id) => guards.get(id)!)}::text[], ${gone.map(({ answeredTo }) => answeredTo)}::timestamptz[],
        ${gone.map(({ version }) => version)}::int[]) as x (key, answered_to, version)
      on conflict (key) do update set value = excluded.value`.execute(transaction.db);
    return { schedules: ids.length, counts: { ...counts, schedule_versions: versions } };
  });
}
