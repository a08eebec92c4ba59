import { sql } from 'kysely';
import type { InterruptKind } from '../../core/decisions/overlap';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { run } from '../transaction';
import { inState, keysTable } from './start';

/** A firing whose chain is to be ended. */
export interface WantedInterrupt extends FiringKey {
  kind: InterruptKind;
}

/** A running chain that is to be ended now. */
export interface DueInterrupt extends WantedInterrupt {
  namespace: string;
  workflowId: string;
  runId: string;
  epoch: number;
  startAttempts: number;
  linkedAt: Date | null;
}

/**
 * Record that open firings are to be ended, under their schedules' locks: now, or once they are linked and their start delay is
 * over. A cancel would begin a workflow that is still in its delay. A cancel that was wanted before is
 * not asked for twice; a terminate overrules it.
 */
export async function wantInterrupts(transaction: Store, wanted: WantedInterrupt[], now: Date): Promise<void> {
  if (wanted.length === 0) return;
  await sql`
    update ${transaction.table('firings')} f set interrupt = x.kind, interrupted_at = null,
      interrupt_at = greatest(${now}::timestamptz, f.starts_at)
    from unnest(${wanted.map((row) => row.scheduleId)}::text[], ${wanted.map((row) => row.scheduledTime)}::timestamptz[],
      ${wanted.map((row) => row.kind)}::text[]) as x (schedule_id, scheduled_time, kind)
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and (${inState('claimed')} or ${inState('linked')})
      and (f.interrupt is null or f.interrupt = 'cancel' and x.kind = 'terminate'
        or f.interrupted_at is null and f.interrupt_at > ${now})`.execute(transaction.db);
}

/** So long before now lies the instant that is written for what goes before others. */
export const BEFORE_OTHERS_MILLISECONDS = 120_000;

/**
 * The poll of a firing `f` that goes before others: behind a backlog polls are up to a minute late, and taken in the order in
 * which they were due. Never later than it is.
 */
const beforeOthers = (now: Date) =>
  sql`least(f.check_at, ${new Date(now.getTime() - BEFORE_OTHERS_MILLISECONDS)}::timestamptz)`;

/**
 * Poll the chains that others wait for next. Written whatever the row says: a poll that is under way just now does not
 * see who waits, and would postpone the next one.
 */
export async function pollNext(transaction: Store, holding: FiringKey[], now: Date): Promise<void> {
  if (holding.length === 0) return;
  await sql`update ${transaction.table('firings')} f set check_at = ${beforeOthers(now)}
    from ${keysTable(holding)}
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inState('linked')}`.execute(
    transaction.db,
  );
}

/** A batch of interrupts that are due, the longest due first, except those of namespaces that do not answer. */
export async function readDueInterrupts(
  store: Store,
  now: Date,
  limit: number,
  away: Iterable<string>,
): Promise<DueInterrupt[]> {
  const { rows } = await run(
    store,
    sql<DueInterrupt>`
    select schedule_id as "scheduleId", scheduled_time as "scheduledTime", interrupt as kind, namespace,
      workflow_id as "workflowId", run_id as "runId", epoch, start_attempts as "startAttempts", linked_at as "linkedAt"
    from ${store.table('firings')}
    where state = 'linked' and interrupt_at <= ${now} and interrupted_at is null
      and namespace <> all(${[...away]}::text[])
    order by interrupt_at, scheduled_time, schedule_id limit ${limit}`,
  );
  return rows;
}

/** Note that Temporal has taken these interrupts, and poll their chains next. */
export async function recordInterrupted(store: Store, sent: WantedInterrupt[], now: Date): Promise<void> {
  if (sent.length === 0) return;
  await run(
    store,
    sql`update ${store.table('firings')} f set interrupted_at = ${now}, check_at = ${beforeOthers(now)}
    from unnest(${sent.map((row) => row.scheduleId)}::text[], ${sent.map((row) => row.scheduledTime)}::timestamptz[],
      ${sent.map((row) => row.kind)}::text[]) as x (schedule_id, scheduled_time, kind)
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inState('linked')}
      and f.interrupt = x.kind and f.interrupted_at is null`,
  );
}
