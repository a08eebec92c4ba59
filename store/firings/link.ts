import { sql } from 'kysely';
import { type FiringKey, transition } from '../../core/firing';
import type { Store } from '../connection';
import { run } from '../transaction';
import { inMonthsOf } from './keys';

export interface StartedFiring extends FiringKey {
  epoch: number;
  runId: string;
  /** When the chain's soft timeout is over; null if it has none. */
  cancelAt: Date | null;
  /**
   * How many milliseconds after the link, or after the firing's start delay, the chain is first polled. If the firing
   * is linked late, the chain is polled without a pause.
   */
  pollAfterMilliseconds: number;
}

/**
 * A firing that is linked this long after both the first announcement of its start and its start delay is polled at
 * once. The run may have ended before the time from which ended runs are listed.
 */
const LINKED_LATE_MILLISECONDS = 15_000;

/** claimed → linked. A firing that is not returned was no longer claimed in this epoch. */
export async function linkFirings(store: Store, started: StartedFiring[], now: Date): Promise<FiringKey[]> {
  const lateSince = new Date(now.getTime() - LINKED_LATE_MILLISECONDS);
  const { rows } = await run(
    store,
    sql<FiringKey>`
    update ${store.table('firings')} f set state = ${transition('claimed', 'linked')}, run_id = x.run_id,
      linked_at = ${now}, last_error = null, refused_since = null,
      check_at = greatest(${now}::timestamptz, f.starts_at)
        + case when greatest(f.first_attempted_at, f.starts_at) <= ${lateSince}::timestamptz then 0 else x.poll_after end * interval '1 millisecond',
      interrupt = coalesce(f.interrupt, case when x.cancel_at is not null then 'cancel' end),
      interrupt_at = least(f.interrupt_at, x.cancel_at)
    from unnest(${started.map((row) => row.scheduleId)}::text[], ${started.map((row) => row.scheduledTime)}::timestamptz[],
      ${started.map((row) => row.epoch)}::int[], ${started.map((row) => row.runId)}::text[],
      ${started.map((row) => row.cancelAt)}::timestamptz[], ${started.map((row) => row.pollAfterMilliseconds)}::float8[])
      as x (schedule_id, scheduled_time, epoch, run_id, cancel_at, poll_after)
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and f.epoch = x.epoch
      and ${inMonthsOf(started, 'claimed')}
    returning f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime"`,
  );
  return rows;
}
