import type { Store } from '../../store/connection';
import type { LockedSchedule } from '../../store/schedules/lock';
import { deleteSchedule } from '../../store/schedules/schedule-state';
import type { ClientContext } from '../context';
import { describeWhatCan } from '../describe/describe-live';
import { ScheduleConflictError } from '../errors';
import { changeLive, isAsRead, readLive } from './change';
import type { DeleteOptions } from './delete-options';
import { type HandedOver, namingHandedOver } from './handed-over';

const ATTEMPTS = 5;

/** The schedule is described before the lock is taken, since a codec may call a remote service. */
export async function deleteLive(
  context: ClientContext,
  scheduleId: string,
  expected: DeleteOptions['expected'],
): Promise<HandedOver> {
  const erase = (transaction: Store, locked: LockedSchedule) =>
    namingHandedOver(transaction, locked, deleteSchedule(transaction, locked));
  if (!expected) return changeLive(context, scheduleId, erase);
  for (let attempt = 1; ; attempt++) {
    const row = await readLive(context, scheduleId);
    await expected(await describeWhatCan(context, row));
    const end = await changeLive(context, scheduleId, async (transaction, locked) =>
      isAsRead(row, locked) ? erase(transaction, locked) : locked.version,
    );
    if (typeof end !== 'number') return end;
    if (attempt === ATTEMPTS) {
      const problem = `was changed by others during all of the ${ATTEMPTS} attempts to delete it; try again`;
      throw new ScheduleConflictError(scheduleId, row.version, end, problem);
    }
  }
}
