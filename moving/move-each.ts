import { setTimeout } from 'node:timers/promises';
import type { ClientContext } from '../client/context';
import type { MoveRow } from '../store/schedules/moves';
import { eachOf, listed } from './each';
import type { MovedSchedule, MoveOptions, MoveResult } from './move-options';
import { NativeSchedules } from './native/native';
import { selectMoves } from './select-moves';
import { isOfOne, wordsOf } from './words';

/**
 * Waits until shortly before the requested instant, once for all schedules, and then moves sixteen at a time. So each
 * schedule is checked as it is by then, and one that was changed during the wait is not moved by its former definition.
 *
 * An error that {@link isOfOne} accepts does not affect the other schedules.
 */
export async function moveEach(
  context: ClientContext,
  options: MoveOptions,
  move: (native: NativeSchedules, row: MoveRow) => Promise<MovedSchedule>,
): Promise<MoveResult> {
  const { moves, unknown } = await selectMoves(context, options);
  const schedules = unknown.map((scheduleId) => refused(scheduleId, 'it was not imported; import it first'));
  if (moves.length > 0) await untilShortlyBefore(options.at);
  await eachOf(listed(moves), async (row) => {
    schedules.push(await moved(() => move(new NativeSchedules(options.from, row.namespace), row), row.scheduleId));
    await options.progress?.({ done: schedules.length, total: moves.length + unknown.length });
  });
  return { schedules, complete: schedules.every(({ status }) => status !== 'refused') };
}

const SHORTLY_MILLISECONDS = 1_000;
/** The longest delay of a Node timer. */
const LONGEST_WAIT_MILLISECONDS = 2 ** 31 - 1;

/** Waits until one second before an instant; without an instant, it does not wait. */
async function untilShortlyBefore(at: Date | undefined): Promise<void> {
  for (;;) {
    const left = (at?.getTime() ?? 0) - SHORTLY_MILLISECONDS - Date.now();
    if (left <= 0) return;
    await setTimeout(Math.min(left, LONGEST_WAIT_MILLISECONDS));
  }
}

async function moved(move: () => Promise<MovedSchedule>, scheduleId: string): Promise<MovedSchedule> {
  try {
    return await move();
  } catch (error) {
    if (!isOfOne(error)) throw error;
    return refused(scheduleId, wordsOf(error));
  }
}

function refused(scheduleId: string, reason: string): MovedSchedule {
  return { scheduleId, status: 'refused', reason, paused: false, running: [], buffered: [], taken: [], notes: [] };
}
