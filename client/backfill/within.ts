import { joinTransaction, type TransactionLike } from '../../store/join';
import { isLockTimeout } from '../../store/postgres-errors';
import { describeHolder, lockHolders } from '../../store/schedules/lock-holders';
import type { ClientContext } from '../context';
import { ScheduleLockedError } from '../errors';

/** How a change is made. */
export interface TransactionOptions {
  /**
   * A transaction of yours that the change becomes part of: a `Client` or `PoolClient` of `pg` after `BEGIN`, a `Transaction`
   * of Kysely, or anything with `query(text, values)`. On the database that holds the ledger.
   *
   * @default a transaction of its own
   */
  transaction?: TransactionLike | undefined;
}

/** Work on the ledger in the caller's transaction, where there is one. */
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

/** Say whose lock it was that a change waited for in vain. @throws {ScheduleLockedError} */
export async function unlocked<Result>(
  { store }: ClientContext,
  scheduleId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    // Not on the caller's transaction, which has just failed.
    const holders = await lockHolders(store.joined?.outside ?? store, scheduleId).catch(() => []);
    throw new ScheduleLockedError(scheduleId, { cause: error }, holders.map(describeHolder));
  }
}
