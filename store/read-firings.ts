import { sql } from 'kysely';
import type { FiringKind, FiringOutcome, FiringState, Recovery } from '../core/firing';
import type { Store } from './connection';
import type { LockedSchedule } from './lock';

/** A firing as people and programs see it. */
export interface Firing {
  scheduleId: string;
  /** Nominal time; a manual firing's has milliseconds. */
  scheduledTime: Date;
  state: FiringState;
  /** How the workflow chain ended, once `closed`. */
  outcome: FiringOutcome | null;
  /** Why it was skipped or abandoned. */
  reason: string | null;
  kind: FiringKind;
  /** Who asked for it, of a manual one. */
  actor: string | null;
  namespace: string;
  /** Version of the schedule it was claimed with. */
  scheduleVersion: number;
  workflowId: string | null;
  /** First run of the chain. */
  runId: string | null;
  /** Starts that Temporal refused. */
  startAttempts: number;
  /** How often another trigger took it over, when last and why. */
  recovery: Recovery | null;
  lastError: string | null;
  /** Why its running chain gets nowhere: `no_worker`, `task_failing`; null where nothing is known to be wrong. */
  stalled: string | null;
  /** When its workflow may begin, of one that was handed to Temporal ahead of its time; null for the others. */
  startsAt: Date | null;
  claimedAt: Date;
  linkedAt: Date | null;
  closedAt: Date | null;
}

/** Which firings to read. */
export interface FiringFilter {
  scheduleId?: string;
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
  state?: FiringState;
}

/** Where a page ended: the key of its last row. */
export type FiringCursor = Pick<Firing, 'scheduleId' | 'scheduledTime'>;

const COLUMNS = sql`schedule_id as "scheduleId", scheduled_time as "scheduledTime", state, outcome, reason, kind, actor,
  namespace, schedule_version as "scheduleVersion", workflow_id as "workflowId", run_id as "runId",
  start_attempts as "startAttempts", recovery, last_error as "lastError", stalled, starts_at as "startsAt", claimed_at as "claimedAt",
  linked_at as "linkedAt", closed_at as "closedAt"`;

/** A page of firings, newest first, behind `cursor`. */
export async function readFiringsPage(
  store: Store,
  filter: FiringFilter,
  page: { cursor?: FiringCursor; size: number },
): Promise<Firing[]> {
  const conditions = [sql`true`];
  if (filter.scheduleId !== undefined) conditions.push(sql`schedule_id = ${filter.scheduleId}`);
  if (filter.from) conditions.push(sql`scheduled_time >= ${filter.from}`);
  if (filter.to) conditions.push(sql`scheduled_time < ${filter.to}`);
  if (filter.state) conditions.push(sql`state = ${filter.state}`);
  if (page.cursor) {
    conditions.push(sql`(scheduled_time, schedule_id) < (${page.cursor.scheduledTime}, ${page.cursor.scheduleId})`);
  }
  const { rows } = await sql<Firing>`
    select ${COLUMNS} from ${store.table('firings')} where ${sql.join(conditions, sql` and `)}
    order by scheduled_time desc, schedule_id desc limit ${page.size}`.execute(store.db);
  return rows;
}

/** One firing by its key. */
export async function readFiring(store: Store, scheduleId: string, scheduledTime: Date): Promise<Firing | undefined> {
  const { rows } = await sql<Firing>`select ${COLUMNS} from ${store.table('firings')}
    where schedule_id = ${scheduleId} and scheduled_time = ${scheduledTime}`.execute(store.db);
  return rows[0];
}

/** Firings of a locked schedule that were claimed ahead of a time that is still to come. */
export async function readHandedOver(transaction: Store, { scheduleId, now }: LockedSchedule): Promise<Firing[]> {
  const { rows } = await sql<Firing>`select ${COLUMNS} from ${transaction.table('firings')}
    where schedule_id = ${scheduleId} and starts_at > ${now} and state in ('claimed', 'linked')
    order by scheduled_time`.execute(transaction.db);
  return rows;
}

/** Firings that were claimed, skipped or asked for in `[from, to]`, oldest first. */
export async function readFiringsSettled(store: Store, from: Date, to: Date): Promise<Firing[]> {
  const { rows } = await sql<Firing>`select ${COLUMNS} from ${store.table('firings')}
    where claimed_at between ${from} and ${to} order by scheduled_time, schedule_id`.execute(store.db);
  return rows;
}
