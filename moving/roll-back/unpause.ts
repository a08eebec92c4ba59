import type { ClientContext } from '../../client/context';
import type { CompiledSpec } from '../../core/occurrences';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import { type MoveRow, noteEvidence } from '../../store/schedules/moves';
import type { NativeSchedules, RawSchedule } from '../native/native';
import { actionsOf, nominalAt, pauseOf, standingOf } from '../native/standing';
import { untilInState } from '../native/until-in-state';
import { MovedMeanwhile, MovingProblem } from '../problem';
import { readSilence, type Silence } from '../silence';

/** Where this ledger stopped, and the request to unpause the Temporal schedule. */
export interface Stopped {
  /** The ledger has answered every nominal time up to this instant. Epoch milliseconds. */
  answeredTo: number;
  /** The number of remaining actions, without those of firings that wait and run here; null for no limit. */
  remainingActions: number | null;
  /**
   * The number of actions that the Temporal schedule gets; the other remaining actions are reserved for times that run
   * here.
   */
  given?: number;
  /** When the Temporal schedule was last asked to unpause; null before that. Epoch milliseconds. */
  unpausedAt: number | null;
  /**
   * The end of the pause of a schedule that stays paused; missing if it has none, and in what older versions have
   * recorded. Epoch milliseconds.
   */
  pausedUntil?: number;
}

/** Where the Temporal schedule continues. */
export interface GoesOn {
  /**
   * The first nominal time that the Temporal schedule has not handled, and so runs; null if there is none, or if a
   * person has paused the Temporal schedule.
   */
  first: number | null;
  /**
   * When an earlier call, which did not end, unpaused the Temporal schedule; null if this call did. Since then, the
   * Temporal schedule may have handled times before `first`. Epoch milliseconds.
   */
  since: number | null;
  /** Whether a person has paused the Temporal schedule in the meantime. */
  isPaused: boolean;
  /** The number of actions that the Temporal schedule got, or has; null for no limit. */
  given: number | null;
}

const UNPAUSE_NOTE = 'Unpaused by Escapement: rolled back';

/**
 * Unpauses the Temporal schedule with the actions that remain after the times that run here, and waits until the server
 * has applied the unpause.
 *
 * A Temporal schedule never runs times that were due before it applied the unpause: both of the server's schedulers
 * continue from that instant.
 */
export async function unpauseNative(
  context: ClientContext,
  native: NativeSchedules,
  about: { move: MoveRow; row: ScheduleRow; stopped: Stopped; compiled: CompiledSpec; theirs: CompiledSpec },
): Promise<GoesOn> {
  const { move, row, stopped, compiled, theirs } = about;
  const { scheduleId } = move;
  const paused = await native.describe(scheduleId);
  const pause = pauseOf(paused);
  const isOurs = pause === 'ours';
  let given = stopped.given ?? actionsOf(paused);
  // A schedule that was unpaused keeps the actions that it has.
  if (isOurs || (pause === 'of a person' && stopped.unpausedAt === null)) {
    given = actionsFor(stopped, compiled, await readSilence(context.store, row, compiled, stopped.answeredTo));
    if (!isOurs) await leavePaused(native, scheduleId, given);
  }
  if (isOurs) {
    const evidence = { ...stopped, unpausedAt: Date.now(), ...(given === null ? {} : { given }) };
    const noted = { state: 'rolling_back', evidence, staysPaused: false, note: move.note } as const;
    if (!(await noteEvidence(context.store, scheduleId, noted))) throw new MovedMeanwhile();
    await native.unpause(scheduleId, paused, { note: move.note ?? UNPAUSE_NOTE, actions: given });
  }
  const raw = isOurs ? await untilInState(native, scheduleId, (raw) => pauseOf(raw) !== 'ours') : paused;
  if (!raw) {
    throw new MovingProblem('the server has not acted on the unpause within a minute; roll it back again');
  }
  const isPaused = pauseOf(raw) === 'of a person';
  const { first } = standingOf(raw, theirs);
  return {
    first: first === null || isPaused ? null : nominalAt(theirs, first),
    since: isOurs ? null : stopped.unpausedAt,
    ...{ isPaused, given },
  };
}

/**
 * Gives a Temporal schedule that stays paused the remaining actions, for whoever unpauses it. One that somebody has
 * unpaused meanwhile keeps what it has.
 *
 * @returns whether the Temporal schedule is paused
 */
export async function leavePaused(
  native: NativeSchedules,
  scheduleId: string,
  actions: number | null,
): Promise<boolean> {
  const paused = await native.describe(scheduleId);
  if (pauseOf(paused) === 'no') return false;
  await native.setActions(scheduleId, paused, actions);
  const isDone = (raw: RawSchedule) => actionsOf(raw) === actions || pauseOf(raw) === 'no';
  const raw = await untilInState(native, scheduleId, isDone);
  if (!raw) throw new MovingProblem('the server has not taken the actions left within a minute; roll it back again');
  return pauseOf(raw) !== 'no';
}

/** Due times run here, unless they are silent, and use some of the remaining actions. */
function actionsFor(
  { answeredTo, remainingActions }: Stopped,
  compiled: CompiledSpec,
  { isSilent }: Silence,
): number | null {
  if (remainingActions === null) return null;
  const now = Date.now();
  let left = remainingActions;
  for (let at = compiled.next(answeredTo); at !== undefined && at <= now && left > 0; at = compiled.next(at)) {
    if (!isSilent(at)) left -= 1;
  }
  return left;
}
