import { type RawBuilder, sql } from 'kysely';
import { COUNTED_AT_MOST } from '../../core/counted';
import { ROWS_READ_AT_MOST } from '../alerts/sighting';
import type { Store } from '../connection';
import { isAnnounced } from '../firings/due-checks';

/**
 * Announced claims that no trigger has checked although their check is due.
 *
 * @param away namespaces that do not answer: triggers leave claims there alone on purpose
 */
export async function readStuckClaims(
  store: Store,
  before: Date,
  away: string[],
): Promise<{ count: number; scheduleIds: string[] }> {
  const { rows } = await sql<{ scheduleId: string }>`
    select f.schedule_id as "scheduleId" from ${store.table('firings')} f
    where f.state = 'claimed' and f.check_at <= ${before} and ${isAnnounced} and f.namespace <> all(${away}::text[])
    order by f.check_at limit ${ROWS_READ_AT_MOST}`.execute(store.db);
  return { count: rows.length, scheduleIds: [...new Set(rows.map(({ scheduleId }) => scheduleId))] };
}

export interface TriggerLoads {
  /** The loads by trigger ID; triggers without work are missing. */
  byTrigger: Map<string, TriggerLoad>;
  /** Names of counts that stopped at their limit: these counts are lower bounds. */
  cut: (keyof TriggerLoad)[];
}

export interface TriggerLoad {
  /** The number of firings that the trigger has taken to start, and that are not linked yet. */
  starting: number;
  /** The number of firings that the trigger linked and whose chains still run, by the ledger. */
  running: number;
}

/** @param countedAtMost how many firings are read in each of the two states */
export async function readTriggerLoads(store: Store, countedAtMost = COUNTED_AT_MOST): Promise<TriggerLoads> {
  const inState = (state: 'claimed' | 'linked', isInHand: RawBuilder<unknown>) =>
    sql`(select f.owner, ${sql.lit(state)} as state from ${store.table('firings')} f
      where f.state = ${sql.lit(state)} and ${isInHand} limit ${countedAtMost})`;
  // Claims that wait for their start mostly have no `check_at`.
  const { rows } = await sql<TriggerLoad & { owner: string | null }>`
    select owner::text as owner, (count(*) filter (where state = 'claimed'))::int as starting,
      (count(*) filter (where state = 'linked'))::int as running
    from (${inState('claimed', sql`f.check_at is not null`)} union all ${inState('linked', sql`true`)}) each_one
    group by owner`.execute(store.db);
  const sum = (of: keyof TriggerLoad) => rows.reduce((all, row) => all + row[of], 0);
  return {
    byTrigger: new Map(rows.flatMap(({ owner, ...load }) => (owner === null ? [] : [[owner, load] as const]))),
    cut: (['starting', 'running'] as const).filter((of) => sum(of) >= countedAtMost),
  };
}

/** Claimed firings of one namespace and task queue. */
export interface WaitingOnRoute {
  namespace: string;
  taskQueue: string | null;
  waiting: number;
  /** How many claims were counted in all routes, also in those that are not returned. */
  ofAllRoutes: number;
  oldestAt: Date;
  /** The error of the newest counted firing that has an error. */
  lastError: string | null;
}

/** Counts the oldest claims by namespace and task queue; returns the five largest counts. */
export async function readWaitingByRoute(store: Store, before: Date): Promise<WaitingOnRoute[]> {
  const { rows } = await sql<WaitingOnRoute>`
    select namespace, task_queue as "taskQueue", count(*)::int as waiting, (sum(count(*)) over ())::int as "ofAllRoutes",
      min(scheduled_time) as "oldestAt",
      (array_agg(last_error order by scheduled_time desc) filter (where last_error is not null))[1] as "lastError"
    from (select f.namespace, f.task_queue, f.scheduled_time, f.last_error from ${store.table('firings')} f
      where f.state = 'claimed' and f.scheduled_time <= ${before} order by f.scheduled_time limit ${ROWS_READ_AT_MOST}) f
    group by namespace, task_queue order by waiting desc, namespace, task_queue limit 5`.execute(store.db);
  return rows;
}

export interface LettersOfKind {
  kind: 'start' | 'workflow' | 'parked';
  open: number;
  oldestAt: Date;
  /** The ID of the oldest letter, so that a person can begin with it. */
  letterId: string;
}

export async function readLettersByKind(store: Store): Promise<LettersOfKind[]> {
  const { rows } = await sql<LettersOfKind>`
    select kind, count(*)::int as open, min(created_at) as "oldestAt",
      (array_agg(letter_id::text order by created_at, letter_id))[1] as "letterId"
    from ${store.table('dead_letters')} where state = 'open' group by kind order by kind`.execute(store.db);
  return rows;
}
