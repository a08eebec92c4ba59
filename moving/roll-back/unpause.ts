import type { ClientContext } from '../../client/context';
import type { CompiledSpec } from '../../core/occurrences';
import { type MoveRow, noteEvidence } from '../../store/schedules/moves';
import type { NativeSchedules } from '../native/native';
import { nominalAt, pauseOf, standingOf } from '../native/standing';
import { untilInState } from '../native/until-in-state';
import { MovingProblem } from '../problem';

/** Where this ledger stopped, and the request to unpause the native schedule. */
export interface Stopped {
  /** Native has answered every nominal time up to this instant. Epoch milliseconds. */
  answeredTo: number;
  /** Remaining actions; null for no limit. */
  remainingActions: number | null;
  /** Number of actions that native gets. The others are reserved for times that run here. */
  given?: number;
  /** When the native schedule was last asked to unpause; null before that. Epoch milliseconds. */
  unpausedAt: number | null;
}

/** Where the native schedule continues. */
export interface GoesOn {
  /**
   * The first nominal time that native had not handled at the request, so that native runs it; null if there is none.
   */
  first: number | null;
  /**
   * When an earlier call, which was killed, unpaused the native schedule. Native may have handled times before `first`
   * since then. Epoch milliseconds.
   */
  since: number | null;
  /** Whether a person has paused the native schedule meanwhile. */
  isPaused: boolean;
  /** Number of actions that native got; null for no limit. */
  given: number | null;
}

const UNPAUSE_NOTE = 'Unpaused by Escapement: rolled back';

/**
 * Unpause the native schedule, with the remaining actions after those that run here, and wait until it is applied.
 *
 * Native never runs times that were due before it applied the unpause. Both of the server's schedulers continue from
 * that instant.
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
    throw new MovingProblem('the server has not acted on the unpause within a minute; roll it back again');
  }
  const isPaused = pauseOf(raw) === 'of a person';
  const { first } = standingOf(raw, compiled);
  return {
    first: first === null || isPaused ? null : nominalAt(compiled, first),
    since: isOurs ? null : stopped.unpausedAt,
    ...{ isPaused, given },
  };
}

/** Times that are due by now run here, and use up remaining actions. */
function actionsFor({ answeredTo, remainingActions }: Stopped, compiled: CompiledSpec): number | null {
  if (remainingActions === null) return null;
  const now = Date.now();
  let left = remainingActions;
  for (let at = compiled.next(answeredTo); at !== undefined && at <= now && left > 0; at = compiled.next(at)) left -= 1;
  return left;
}
