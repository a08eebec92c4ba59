import { InvalidOptionError, InvalidScheduleError } from '../../core/errors';
import type { BulkTask } from '../../store/bulk/operations';
import { readOne, settle } from '../../store/bulk/schedules';
import type { Store } from '../../store/connection';
import { isOfRow } from '../../store/postgres-errors';
import { ScheduleHeldError } from '../../store/schedules/lock';
import type { ClientContext } from '../context';
import { ScheduleConflictError, ScheduleLockedError, ScheduleNotFoundError } from '../errors';
import { ScheduleFrozenError } from '../freezes/errors';
import { TenantQuotaError } from '../tenants/errors';
import { changeLive } from '../update/change';
import { changeOne, undoOne } from './change-one';

/**
 * Errors that concern one schedule only. After an error that {@link isHeld} accepts, the change is tried again. After
 * any other of these errors, and after an error of Postgres about its row, the schedule is recorded as failed. An error
 * of another kind ends the attempt, and the operation stays open.
 */
const REFUSALS = [
  InvalidOptionError,
  InvalidScheduleError,
  ScheduleConflictError,
  ScheduleFrozenError,
  ScheduleLockedError,
  ScheduleNotFoundError,
  TenantQuotaError,
];

/** The schedule no longer waits for its change: another process has recorded a result, or the operation has ended. */
class NotWaiting extends Error {}

const CREATED_AGAIN = 'was deleted and created again since the operation was requested';

/**
 * Change one schedule and record the result in one transaction. After a crash, the next process finds either both the
 * change and its result, or neither.
 *
 * @param waits whether to wait for the schedule's lock; the change fails if that takes too long
 * @returns whether the schedule still waited for its change
 * @throws {ScheduleLockedError} without `waits`, if another transaction holds the schedule's lock
 */
export async function carryOut(
  context: ClientContext,
  task: BulkTask,
  scheduleId: string,
  waits: boolean,
): Promise<boolean> {
  const { operationId, kind, undoes } = task;
  try {
    await changeLive(
      context,
      scheduleId,
      async (transaction, locked) => {
        // The schedule that matched the filter was deleted since, and this one was created with its ID. If the creation
        // lies in the future, it was written while the clock of Postgres was ahead, so it proves nothing.
        if (locked.createdAt > task.createdAt && locked.createdAt < locked.now)
          throw new ScheduleConflictError(scheduleId, 0, locked.version, CREATED_AGAIN);
        const done = undoes
          ? await undoOne(context, transaction, locked, kind, await readOne(transaction, undoes, scheduleId))
          : await changeOne(context, transaction, locked, task);
        if (!(await settle(transaction, operationId, { scheduleId, error: null, ...done }))) throw new NotWaiting();
      },
      { waits },
    );
    return true;
  } catch (error) {
    if (error instanceof NotWaiting) return false;
    if (isHeld(error) || !(REFUSALS.some((refusal) => error instanceof refusal) || isOfRow(error))) throw error;
    return settleFailed(context.store, operationId, scheduleId, error as Error);
  }
}

/** Whether the schedule's lock was held and the change did not wait for it, so that the change is tried again. */
export function isHeld(error: unknown): error is ScheduleLockedError {
  return error instanceof ScheduleLockedError && error.cause instanceof ScheduleHeldError;
}

/** @returns whether the schedule still waited for its change */
function settleFailed(store: Store, operationId: string, scheduleId: string, { message }: Error): Promise<boolean> {
  return settle(store, operationId, { scheduleId, outcome: 'failed', error: message, before: null, after: null });
}
