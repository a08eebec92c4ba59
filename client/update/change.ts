import { type Legible, legible } from '../../core/definition/legible';
import type { Store } from '../../store/connection';
import { readNow } from '../../store/now';
import { readSchedule, type ScheduleRow } from '../../store/reads/read-schedules';
import { areSameLabels } from '../../store/schedules/labels';
import { type LockedSchedule, lockSchedule, readOwner } from '../../store/schedules/lock';
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { ScheduleNotFoundError } from '../errors';
import { unlocked } from '../transaction';

/** @throws {ScheduleNotFoundError} */
export async function readLive(context: ClientContext, scheduleId: string): Promise<Legible<ScheduleRow>> {
  await context.ready();
  const row = await readSchedule(context.store, scheduleId);
  if (!row || isForeign(context, row)) throw new ScheduleNotFoundError(scheduleId);
  return legible(row);
}

/**
 * Change a live schedule in a transaction, under the schedule's lock.
 *
 * @param options whether to wait if another transaction holds the lock; by default the change waits
 * @throws {ScheduleNotFoundError | ScheduleLockedError}
 */
export async function changeLive<Result>(
  context: ClientContext,
  scheduleId: string,
  change: (transaction: Store, locked: LockedSchedule) => Promise<Result>,
  options?: { waits: boolean },
): Promise<Result> {
  await context.ready();
  return unlocked(context, scheduleId, () =>
    transact(context.store, async (transaction) => {
      if (context.tenant !== undefined) {
        // The owner is read before the lock is taken, since a client must not wait for a lock on another tenant's
        // schedule.
        const owner = await readOwner(transaction, scheduleId);
        if (!owner || isForeign(context, owner)) throw new ScheduleNotFoundError(scheduleId);
      }
      const locked = await lockSchedule(transaction, scheduleId, context.now?.(), options);
      if (!locked || locked.deleted || isForeign(context, locked)) throw new ScheduleNotFoundError(scheduleId);
      return change(transaction, locked);
    }),
  );
}

/**
 * Whether nobody has changed the schedule since it was read. The number of remaining actions is not compared, since
 * triggers count it down.
 */
export function isAsRead(row: ScheduleRow, locked: LockedSchedule): boolean {
  const isSameState = row.version === locked.version && row.paused === locked.paused && row.note === locked.note;
  const changedAt = row.updatedAt ?? row.createdAt;
  return isSameState && changedAt.getTime() === locked.changedAt.getTime() && areSameLabels(row, locked);
}

/** Whether a schedule belongs to another tenant than the client's. For the client, such a schedule does not exist. */
export function isForeign({ tenant }: ClientContext, schedule: { tenant: string }): boolean {
  return tenant !== undefined && schedule.tenant !== tenant;
}

/** The current time by the client's option `now`, or else by this process's clock. */
export function nowOf(context: ClientContext): Date {
  return context.now?.() ?? new Date();
}

/** The current time by the client's option `now`, or else by the ledger's clock. */
export async function ledgerNow({ now, store }: Pick<ClientContext, 'now'> & { store: Store }): Promise<Date> {
  return now?.() ?? readNow(store);
}
