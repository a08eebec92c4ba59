import type { ClientContext } from '../../client/context';
import type { CompiledSpec } from '../../core/occurrences';
import { type MoveRow, noteEvidence } from '../../store/schedules/moves';
import type { NativeSchedules } from '../native/native';
import { nominalAt, pauseOf, standingOf } from '../native/standing';
import { untilInState } from '../native/until-in-state';
import { MovingProblem } from '../problem';

/** Where this ledger stood when it stopped, and when the native schedule was about to be unpaused. */
export interface Stopped {
  /** It has answered every nominal time up to here. Epoch milliseconds. */
  answeredTo: number;
  /** Actions that were left; null for no limit. */
  remainingActions: number | null;
  /** Of these, how many native was given: the others are for what runs here. */
  given?: number;
  /** When the call that unpauses the native one was made last; null before. Epoch milliseconds. */
  unpausedAt: number | null;
}

/** Where the native schedule goes on. */
export interface GoesOn {
  /** The first nominal time that it had not come to when it was asked, and it takes itself; null where there is none. */
  first: number | null;
  /** Where an earlier call that was killed unpaused it: when. It may have come to times before `first` since. Epoch milliseconds. */
  since: number | null;
  /** Whether a person has paused it there meanwhile. */
  isPaused: boolean;
  /** Actions that it was given; null for no limit. */
  given: number | null;
}

const UNPAUSE_NOTE = 'Unpaused by Escapement: rolled back';

/**
 * Unpause the native schedule, with the actions that are left behind what runs here, and wait until it has come to that.
 *
 * It never takes what fell due before it came to it: both of the server's schedulers go on from that instant.
 */
export async function unpauseNative(
  context: ClientContext,
  native: NativeSchedules,
  { move, stopped, compiled }: { move: MoveRow; stopped: Stopped; compiled: CompiledSpec },
): Promise<GoesOn> {
  const { scheduleId } = move;
  const paused = await native.describe(scheduleId);
  const isOurs = pauseOf(paused) === 'ours';
  let given = stopped.given ?? stopped.remainingActions;
  if (isOurs) {
    given = actionsFor(stopped, compiled);
    const evidence = { ...stopped, unpausedAt: Date.now(), ...(given === null ? {} : { given }) };
    await noteEvidence(context.store, scheduleId, { evidence, staysPaused: false, note: move.note });
    const note = move.note ?? UNPAUSE_NOTE;
    if (given === null) await native.setPaused(scheduleId, false, note);
    else {
      const { schedule, conflictToken } = paused;
      const state = { ...schedule!.state, paused: false, notes: note, remainingActions: given as never };
      await native.update(scheduleId, { ...schedule, state }, conflictToken ?? undefined);
    }
  }
  const raw = isOurs ? await untilInState(native, scheduleId, (pause) => pause !== 'ours') : paused;
  if (!raw) {
    throw new MovingProblem('the server has not come to its unpause within a minute; roll it back again');
  }
  const isPaused = pauseOf(raw) === 'of a person';
  const { first } = standingOf(raw, compiled);
  return {
    first: first === null || isPaused ? null : nominalAt(compiled, first),
    since: isOurs ? null : stopped.unpausedAt,
    ...{ isPaused, given },
  };
}

/** What is due by now runs here, and takes from what is left. */
function actionsFor({ answeredTo, remainingActions }: Stopped, compiled: CompiledSpec): number | null {
  if (remainingActions === null) return null;
  const now = Date.now();
  let left = remainingActions;
  for (let at = compiled.next(answeredTo); at !== undefined && at <= now && left > 0; at = compiled.next(at)) left -= 1;
  return left;
}
