import { joinTransaction, type TransactionLike } from '../store/join';
import { isLockTimeout } from '../store/postgres-errors';
import { ScheduleHeldError } from '../store/schedules/lock';
import { describeHolder, lockHolders } from '../store/schedules/lock-holders';
import type { ClientContext } from './context';
import { ScheduleLockedError } from './errors';
import { detailsOf } from './outside';

/** The transaction in which a change is made. */
export interface TransactionOptions {
  /**
   * Your own transaction: the change becomes a part of it. Give a `Client` or `PoolClient` of `pg` after `BEGIN`, a
   * `Transaction` of Kysely, or any object with `query(text, values)`. The transaction must be on the database that
   * holds the ledger.
   *
   * @default a new transaction
   */
  transaction?: TransactionLike | undefined;
}

export async function within<Result>(
  context: ClientContext,
  transaction: TransactionLike | undefined,
  work: (context: ClientContext) => Promise<Result>,
): Promise<Result> {
  if (!transaction) return work(context);
  return joinTransaction(context.store, transaction, (joined) =>
    work({ ...context, store: { ...joined, close: async () => undefined }, ready: () => context.ready(joined) }),
  );
}

/** @throws {ScheduleLockedError} with the holders, if the change did not get the lock in time */
export async function unlocked<Result>(
  { store }: ClientContext,
  scheduleId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (!isLockTimeout(error) && !(error instanceof ScheduleHeldError)) throw error;
    const holders = (await detailsOf(store, (outside) => lockHolders(outside, scheduleId))) ?? [];
    throw new ScheduleLockedError(scheduleId, { cause: error }, holders.map(describeHolder));
  }
}
