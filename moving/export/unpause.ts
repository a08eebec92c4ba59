import type { ClientContext } from '../../client/context';
import { listFirings } from '../../client/list/firings';
import { readSchedule, type ScheduleRow } from '../../store/reads/read-schedules';
import type { NativeSchedules, RawSchedule } from '../native/native';
import { pauseOf } from '../native/standing';
import { untilInState } from '../native/until-in-state';
import { MovingProblem } from '../problem';

/**
 * Unpauses the native schedule with the actions that are left by now, and waits until the server has applied the
 * unpause. The native schedule never runs times that were due before.
 *
 * @param there the native schedule as it was described
 * @returns an instant from which the native schedule is live, in epoch milliseconds
 * @throws if the number of actions changes, and somebody has changed the native schedule since
 * @throws {MovingProblem} if the server has not applied the unpause within a minute
 */
export async function unpauseNative(
  context: ClientContext,
  native: NativeSchedules,
  { row, there, note }: { row: ScheduleRow; there: RawSchedule; note: string },
): Promise<number> {
  const { scheduleId } = row;
  await native.unpause(scheduleId, there, { note, actions: await actionsLeft(context, row) });
  if (await untilInState(native, scheduleId, (raw) => pauseOf(raw) === 'no')) return Date.now();
  throw new MovingProblem(
    'the server has not acted on the unpause of the native schedule within a minute, or somebody paused it; export it again, which unpauses it',
  );
}

/**
 * The remaining actions by now: firings since `row` was read, or since an earlier export, have used some. Buffered
 * firings run here, so their actions are subtracted too.
 */
async function actionsLeft(context: ClientContext, row: ScheduleRow): Promise<number | null> {
  const { scheduleId } = row;
  let { remainingActions: left } = (await readSchedule(context.store, scheduleId)) ?? row;
  if (left === null) return null;
  for await (const { kind } of listFirings(context, { scheduleId, state: ['buffered'] })) {
    if (left > 0 && (kind === 'schedule' || kind === 'catchup')) left -= 1;
  }
  return left;
}
