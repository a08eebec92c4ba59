import { sql } from 'kysely';
import type { Store } from '../connection';
import { numberIn } from '../text';
import type { PendingRedrive } from './redrive';

export interface Resumed {
  now: Date;
  /** The run that continues the chain; undefined if the chain has completed. */
  runId: string | undefined;
  /**
   * Whether that run was found instead of the one whose reset was announced. Either a trigger that died has made the
   * reset, or a person has made another reset, perhaps to another event. @default false
   */
  isFound?: boolean;
}

/** The reset that a redrive has announced; its fields are null if it has announced none. */
type Reset = { runId: string | null; eventId: number | null; unended?: number[] };
const NO_RESET: Reset = { runId: null, eventId: null };

const IS_PENDING_RESUME = sql`(l.state = 'redriving' and l.redrive ? 'lookAt' and l.redrive ->> 'mode' = 'resume')`;
/** The last run in which the parked step of a letter `l` is known to have waited; empty if a letter does not name it. */
const WAITED_IN = sql`coalesce(l.failed_step ->> 'waitsIn', l.failed_step ->> 'runId', '')`;
/** Whether the parked step of a letter `l` has received a decision. Older versions recorded that only in `redrive`. */
const IS_DECIDED = sql`(l.failed_step ? 'decided' or coalesce(l.redrive ? 'carriedOutAt', false))`;

/** Another letter of the firing that the resume of a run has changed. */
export interface ResumedWith {
  letterId: string;
  /** Who acted last on the letter. */
  actor: string | null;
  /** Whether its step is parked again, was resumed too, or does not run again. */
  became: 'parked' | 'resumed' | 'refused';
}

export const RESUMED_LATER = 'its run was resumed at a later step';

/**
 * Record that a resume was carried out; the letter stays `redriving` until the chain ends or its step parks again. If
 * the redrive has announced a reset, pending resumes of the firing's other letters are done too: one reset continues
 * the run for all. But a step of an earlier task that was decided does not run again, so its letter opens, unless the
 * decision was to continue. If the run was found, it may not run the parked steps of pending letters again, so these
 * letters stay pending. The caller holds the schedule's lock.
 *
 * @returns the other letters that have changed
 */
export async function settleResumed(
  transaction: Store,
  redrive: PendingRedrive,
  { now, runId, isFound = false }: Resumed,
): Promise<ResumedWith[]> {
  const { letterId } = redrive;
  const letters = transaction.table('dead_letters');
  const { rows } = await sql<{ reset: Reset | null }>`select redrive -> 'reset' as reset from ${letters}
    where letter_id = ${letterId}`.execute(transaction.db);
  const reset = rows[0]?.reset ?? NO_RESET;
  const parked = runId === undefined ? [] : await parkAgain(transaction, redrive, { now, runId, isFound, reset });
  const isOwn = sql`l.letter_id = ${letterId}`;
  const isOfReset = sql`case when l.failed_step ? 'burial' then ${WAITED_IN} = ${reset.runId} and not ${isFound}::boolean
    else ${reset.runId}::text is not null end`;
  // A step that continued ran again as a new activity, which the event of its letter does not name.
  const isOver = sql`(not ${isOwn} and l.failed_step ->> 'decided' <> 'continue' and ${isKept(reset)})`;
  const settled = await sql<ResumedWith>`update ${letters} l set updated_at = ${now},
      state = case when ${isOver} then 'open' else l.state end,
      note = case when ${isOver} then ${`not redriven: ${RESUMED_LATER}`} else l.note end,
      redrive = l.redrive - 'lookAt' || case when ${isOver} then '{}'
        else jsonb_build_object('carriedOutAt', ${now.toISOString()}::text) end
    where ${isOfFiring(redrive)} and ${IS_PENDING_RESUME} and (${isOwn} or ${isOfReset})
    returning l.letter_id as "letterId", l.actor, case l.state when 'open' then 'refused' else 'resumed' end as became`.execute(
    transaction.db,
  );
  return [...parked, ...settled.rows].filter((one) => one.letterId !== letterId);
}

/**
 * The letter of a step that waits again in the resumed run is `parked` again: nobody decided about the step in the
 * former run, and the reset has kept its wait. A pending resume of the letter then tries the step again in place. A
 * discarded letter opens, since its failure would end the run that was just resumed.
 *
 * The step of the redriven letter may wait too, unless the trigger itself has reset the run in which it waited: a
 * person may have reset the chain. So that step is asked to continue, which changes nothing if the step does not wait.
 * More likely the step runs again, so the decision counts as announced at once. Then the firing blocks its schedule,
 * and a step that parks again opens its letter.
 */
async function parkAgain(
  transaction: Store,
  redrive: PendingRedrive,
  { now, runId, isFound, reset }: Required<Resumed> & { reset: Reset },
): Promise<ResumedWith[]> {
  const at = now.toISOString();
  const isOwn = sql`l.letter_id = ${redrive.letterId}`;
  const told = sql`case when ${isOwn} then jsonb_build_object('told',
    jsonb_build_object('runId', ${runId}::text, 'burial', l.failed_step -> 'burial')) else '{}' end`;
  // Only letters in `letters` are changed. Older versions wrote into `dead_letters`, which allows only one unsettled
  // letter per firing.
  const { rows } =
    await sql<ResumedWith>`update ${transaction.table('letters')} l set kind = 'parked', reason = 'step_failed', resume_until = null,
      updated_at = ${now}, state = case l.state when 'discarded' then 'open' else l.state end,
      note = case l.state when 'discarded' then ${`its step waits again: ${RESUMED_LATER}`} else l.note end,
      redrive = case when ${IS_PENDING_RESUME} then l.redrive || jsonb_build_object('mode', 'continue',
        'requestId', gen_random_uuid(), 'lookAt', ${at}::text) || ${told} else l.redrive end,
      failed_step = case when ${isOwn} then l.failed_step
        else l.failed_step || ${JSON.stringify({ failedAt: at, waitsIn: runId })}::jsonb end
    where ${isOfFiring(redrive)} and l.epoch = ${redrive.epoch} and l.failed_step ? 'burial'
      and case when ${isOwn} then ${IS_PENDING_RESUME} and (${isFound}::boolean or ${WAITED_IN} is distinct from ${reset.runId})
        else l.state <> 'resolved' and not ${IS_DECIDED} and ${isKept(reset)} end
    returning l.letter_id as "letterId", l.actor, 'parked' as became`.execute(transaction.db);
  return rows;
}

/**
 * Whether the step of a letter `l` was scheduled in the run that was reset, before the reset point, and does not run
 * again.
 */
function isKept({ runId, eventId, unended = [] }: Reset) {
  return sql`(${WAITED_IN} = ${runId} and ${numberIn(sql`l.failed_step`, 'eventId')} < ${eventId}
    and not ${JSON.stringify(unended)}::jsonb @> (l.failed_step -> 'eventId'))`;
}

function isOfFiring({ scheduleId, scheduledTime }: PendingRedrive) {
  return sql`l.schedule_id = ${scheduleId} and l.scheduled_time = ${scheduledTime}`;
}
