import type { ClientContext } from '../client/context';
import type { MoveRow } from '../store/schedules/moves';
import { eachOf, listed } from './each';
import type { MovedSchedule, MoveOptions, MoveResult } from './move-options';
import { NativeSchedules } from './native/native';
import { selectMoves } from './select-moves';
import { isOfOne, wordsOf } from './words';

/** An error that {@link isOfOne} accepts does not affect the other schedules. */
export async function moveEach(
  context: ClientContext,
  options: MoveOptions,
  move: (native: NativeSchedules, row: MoveRow) => Promise<MovedSchedule>,
): Promise<MoveResult> {
  const { moves, unknown } = await selectMoves(context, options);
  const schedules = unknown.map((scheduleId) => refused(scheduleId, 'it was not imported; import it first'));
  await eachOf(listed(moves), async (row) => {
    schedules.push(await moved(() => move(new NativeSchedules(options.from, row.namespace), row), row.scheduleId));
    await options.progress?.({ done: schedules.length, total: moves.length + unknown.length });
  });
  return { schedules, complete: schedules.every(({ status }) => status !== 'refused') };
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
