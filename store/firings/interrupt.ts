import { sql } from 'kysely';
import type { InterruptKind } from '../../core/decisions/overlap';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { run } from '../transaction';
import { inState, keysTable } from './keys';

export interface WantedInterrupt extends FiringKey {
  kind: InterruptKind;
}

export interface NewInterrupt extends WantedInterrupt {
  /** Since when the newest firing that wants a cancel waits; any time for a terminate. */
  waitingSince: Date;
}

export interface DueInterrupt extends WantedInterrupt {
  /** When the interrupt became due. */
  dueAt: Date;
  namespace: string;
  workflowId: string;
  runId: string;
  epoch: number;
  startAttempts: number;
  linkedAt: Date | null;
}

/**
 * Record that the chains of open firings should be ended, under their schedules' locks. The chains are to end at once,
 * or when their firings are linked and the start delay is over. A cancel during the start delay would make Temporal
 * begin the workflow at once. An interrupt of the same kind that is already due or sent stays, and so does a terminate
 * that was sent. Only a cancel that was sent before the newest firing began to wait is sent again: the run that got it
 * may have been retried or continued as new since.
 */
export async function wantInterrupts(transaction: Store, wanted: NewInterrupt[], now: Date): Promise<void> {
  if (wanted.length === 0) return;
  await sql`
    update ${transaction.table('firings')} f set interrupt = x.kind, interrupted_at = null,
      interrupt_at = greatest(${now}::timestamptz, f.starts_at)
    from unnest(${wanted.map((row) => row.scheduleId)}::text[], ${wanted.map((row) => row.scheduledTime)}::timestamptz[],
      ${wanted.map((row) => row.kind)}::text[], ${wanted.map((row) => row.waitingSince)}::timestamptz[])
      as x (schedule_id, scheduled_time, kind, waiting_since)
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and (${inState('claimed')} or ${inState('linked')})
      and (f.interrupt is null or f.interrupt = 'cancel' and (x.kind = 'terminate' or f.interrupted_at < x.waiting_since)
        or f.interrupted_at is null and (f.interrupt <> x.kind or f.interrupt_at > ${now}))`.execute(transaction.db);
}

export interface WithdrawnInterrupt extends FiringKey {
  /** When the chain's soft timeout is over; null if it has none. */
  cancelAt: Date | null;
}

/**
 * Take back interrupts that were not sent yet, under their schedules' locks. Their linked chains are left with their
 * soft timeout. A claimed firing gets its own when it is linked.
 */
export async function withdrawInterrupts(transaction: Store, withdrawn: WithdrawnInterrupt[]): Promise<void> {
  if (withdrawn.length === 0) return;
  await sql`
    update ${transaction.table('firings')} f set
      interrupt = case when f.state = 'linked' and x.cancel_at is not null then 'cancel' end,
      interrupt_at = case when f.state = 'linked' then x.cancel_at end
    from unnest(${withdrawn.map((row) => row.scheduleId)}::text[], ${withdrawn.map((row) => row.scheduledTime)}::timestamptz[],
      ${withdrawn.map((row) => row.cancelAt)}::timestamptz[]) as x (schedule_id, scheduled_time, cancel_at)
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time
      and (${inState('claimed')} or ${inState('linked')}) and f.interrupted_at is null`.execute(transaction.db);
}

/** The due time of a poll that takes precedence over others is this long before now. */
export const BEFORE_OTHERS_MILLISECONDS = 120_000;

/**
 * The due time of the next poll of a firing `f`, for a poll that takes precedence over others. The new due time is
 * never later than the current one.
 */
const beforeOthers = (now: Date) =>
  sql`least(f.check_at, ${new Date(now.getTime() - BEFORE_OTHERS_MILLISECONDS)}::timestamptz)`;

/**
 * Make the chains that block other firings the next chains to be polled. The time of the next poll is written even if
 * the row already has an early time. Otherwise a poll in progress, which does not know about the buffered firings,
 * would postpone the next poll.
 */
export async function pollNext(transaction: Store, holding: FiringKey[], now: Date): Promise<void> {
  if (holding.length === 0) return;
  await sql`update ${transaction.table('firings')} f set check_at = ${beforeOthers(now)}
    from ${keysTable(holding)}
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inState('linked')}`.execute(
    transaction.db,
  );
}

export async function readDueInterrupts(
  store: Store,
  now: Date,
  limit: number,
  away: Iterable<string>,
): Promise<DueInterrupt[]> {
  const { rows } = await run(
    store,
    sql<DueInterrupt>`
    select schedule_id as "scheduleId", scheduled_time as "scheduledTime", interrupt as kind, interrupt_at as "dueAt", namespace,
      workflow_id as "workflowId", run_id as "runId", epoch, start_attempts as "startAttempts", linked_at as "linkedAt"
    from ${store.table('firings')}
    where state = 'linked' and interrupt_at <= ${now} and interrupted_at is null
      and namespace <> all(${[...away]}::text[])
    order by interrupt_at, scheduled_time, schedule_id limit ${limit}`,
  );
  return rows;
}

/**
 * Record that Temporal has accepted these interrupts, and let their chains be polled next. A firing that runs again
 * meanwhile has another epoch, and may have an interrupt that was not sent. The same holds for a firing whose run was
 * reset meanwhile: its interrupt is due again, at a later time.
 */
export async function recordInterrupted(
  store: Store,
  sent: (WantedInterrupt & Pick<DueInterrupt, 'epoch' | 'dueAt'>)[],
  now: Date,
): Promise<void> {
  if (sent.length === 0) return;
  await run(
    store,
    sql`update ${store.table('firings')} f set interrupted_at = ${now}, check_at = ${beforeOthers(now)}
    from unnest(${sent.map((row) => row.scheduleId)}::text[], ${sent.map((row) => row.scheduledTime)}::timestamptz[],
      ${sent.map((row) => row.kind)}::text[], ${sent.map((row) => row.epoch)}::int[],
      ${sent.map((row) => row.dueAt)}::timestamptz[]) as x (schedule_id, scheduled_time, kind, epoch, due_at)
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and f.epoch = x.epoch and ${inState('linked')}
      and f.interrupt = x.kind and f.interrupted_at is null and f.interrupt_at < x.due_at + interval '1 millisecond'`,
  );
}
