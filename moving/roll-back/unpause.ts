import { setTimeout } from 'node:timers/promises';
import type { ClientContext } from '../../client/context';
import type { CompiledSpec } from '../../core/occurrences';
import { type MoveRow, noteEvidence } from '../../store/schedules/moves';
import type { NativeSchedules } from '../native/native';
import { nominalAt, pauseOf, standingOf } from '../native/standing';

/** Where this ledger stood when it stopped, and when the native schedule was about to be unpaused. */
export interface Stopped {
  /** It has answered every nominal time up to here. Epoch milliseconds. */
  answeredTo: number;
  /** Actions that were left; null for no limit. */
  remainingActions: number | null;
  /** When the call that unpauses the native one was made last; null before. Epoch milliseconds. */
  unpausedAt: number | null;
}

const UNPAUSE_NOTE = 'Unpaused by Escapement: rolled back';
/** How long a call may be on its way, and native may take to come to what is due. */
const CALL_AT_MOST_MILLISECONDS = 10_000;
const AGAIN_AFTER_MILLISECONDS = 50;

/**
 * Unpause the native schedule, with as many actions as were left here.
 *
 * @returns an instant by which it went on, and the first nominal time after it; it has come to all of its own before that instant
 */
export async function unpauseNative(
  context: ClientContext,
  native: NativeSchedules,
  { move, stopped, compiled }: { move: MoveRow; stopped: Stopped; compiled: CompiledSpec },
): Promise<{ through: number; first: number | null }> {
  const { scheduleId } = move;
  const raw = await native.describe(scheduleId);
  let through = Math.min(Date.now(), (stopped.unpausedAt ?? Date.now()) + CALL_AT_MOST_MILLISECONDS);
  if (pauseOf(raw) === 'ours') {
    const evidence = { ...stopped, unpausedAt: Date.now() };
    await noteEvidence(context.store, scheduleId, { evidence, staysPaused: false, note: move.note });
    const note = move.note ?? UNPAUSE_NOTE;
    if (stopped.remainingActions === null) await native.setPaused(scheduleId, false, note);
    else {
      const { schedule, conflictToken } = raw;
      const { remainingActions } = stopped;
      const state = { ...schedule!.state, paused: false, notes: note, remainingActions: remainingActions as never };
      await native.update(scheduleId, { ...schedule, state }, conflictToken ?? undefined);
    }
    through = Date.now();
  }
  const deadline = Date.now() + CALL_AT_MOST_MILLISECONDS;
  for (;;) {
    const { first } = standingOf(await native.describe(scheduleId), compiled);
    if (first === null) return { through, first };
    if (first > through || Date.now() > deadline) return { through, first: nominalAt(compiled, first) };
    await setTimeout(AGAIN_AFTER_MILLISECONDS);
  }
}
