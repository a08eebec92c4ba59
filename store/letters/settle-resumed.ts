import { sql } from 'kysely';
import type { Store } from '../connection';
import type { PendingRedrive } from './redrive';

export interface Resumed {
  now: Date;
  /** The run that continues the chain; undefined if the chain has completed. */
  runId: string | undefined;
}

const IS_PENDING_RESUME = sql`(l.state = 'redriving' and l.redrive ? 'lookAt' and l.redrive ->> 'mode' = 'resume')`;
/** The last run in which the parked step of a letter `l` is known to have waited. */
const WAITED_IN = sql`coalesce(l.failed_step ->> 'waitsIn', l.failed_step ->> 'runId')`;

/**
 * Record that a resume was carried out; the letter stays `redriving` until the chain has ended. If the redrive has
 * announced a reset, it has resumed the other letters of its firing too: one reset continues the run for all of them.
 * The caller holds the schedule's lock.
 */
export async function settleResumed(
  transaction: Store,
  redrive: PendingRedrive,
  { now, runId }: Resumed,
): Promise<void> {
  if (runId !== undefined) await parkAgain(transaction, redrive, { now, runId });
  await sql`update ${transaction.table('dead_letters')} l set updated_at = ${now},
      redrive = l.redrive - 'lookAt' || jsonb_build_object('carriedOutAt', ${now.toISOString()}::text)
    from ${resetOf(transaction, redrive)} made
    where ${isOfFiring(redrive)} and ${IS_PENDING_RESUME} and (l.letter_id = ${redrive.letterId} or (made.reset is not null
      and (not coalesce(l.failed_step ? 'burial', false) or ${WAITED_IN} = made.reset ->> 'runId')))`.execute(
    transaction.db,
  );
}

/**
 * The letter of a step that waits again in the resumed run is `parked` again: nobody decided about the step in the
 * former run, and the reset has kept its wait. A pending resume of the letter then tries the step again in place. A
 * discarded letter opens, since its failure would end the run that was just resumed. If a person has made the reset,
 * the step of the redriven letter may wait, so the step is asked to continue. The signal changes nothing if the step
 * does not wait.
 */
async function parkAgain(
  transaction: Store,
  redrive: PendingRedrive,
  { now, runId }: Resumed & { runId: string },
): Promise<void> {
  const at = now.toISOString();
  const hasWaited = sql`l.state <> 'resolved' and not coalesce(l.redrive ? 'carriedOutAt', false)
    and ${WAITED_IN} = made.reset ->> 'runId' and (l.failed_step ->> 'eventId')::int < (made.reset ->> 'eventId')::int
    and not coalesce(made.reset -> 'unended' @> (l.failed_step -> 'eventId'), false)`;
  // Older versions wrote into `dead_letters`, which allows one unsettled letter per firing.
  await sql`update ${transaction.table('letters')} l set kind = 'parked', reason = 'step_failed', resume_until = null,
      updated_at = ${now}, state = case l.state when 'discarded' then 'open' else l.state end,
      redrive = case when ${IS_PENDING_RESUME} then l.redrive - 'reset' || jsonb_build_object('mode', 'continue',
        'requestId', gen_random_uuid(), 'lookAt', ${at}::text) else l.redrive end,
      failed_step = case when made.reset is null then l.failed_step
        else l.failed_step || ${JSON.stringify({ failedAt: at, waitsIn: runId })}::jsonb end
    from ${resetOf(transaction, redrive)} made
    where ${isOfFiring(redrive)} and l.failed_step ? 'burial'
      and ((l.letter_id = ${redrive.letterId} and made.reset is null and ${IS_PENDING_RESUME})
        or (l.letter_id <> ${redrive.letterId} and ${hasWaited}))`.execute(transaction.db);
}

/** The reset that a redrive has announced; null if a person has made the reset. */
function resetOf(transaction: Store, { letterId }: PendingRedrive) {
  return sql`(select redrive -> 'reset' as reset from ${transaction.table('dead_letters')} where letter_id = ${letterId})`;
}

function isOfFiring({ scheduleId, scheduledTime }: PendingRedrive) {
  return sql`l.schedule_id = ${scheduleId} and l.scheduled_time = ${scheduledTime}`;
}
