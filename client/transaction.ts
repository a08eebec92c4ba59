import { setTimeout } from 'node:timers/promises';
import { joinTransaction, type TransactionLike } from '../store/join';
import { isLockTimeout } from '../store/postgres-errors';
import { ScheduleHeldError } from '../store/schedules/lock';
import { describeHolder, lockHolders } from '../store/schedules/lock-holders';
import type { ClientContext } from './context';
import { ScheduleLockedError } from './errors';

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

/**
 * The longest wait for the names of those who hold a lock. If callers' transactions hold all connections of their pool,
 * no connection is left to ask for them.
 */
const HOLDERS_MILLISECONDS = 2_000;

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
    // This query cannot use the caller's transaction, which has just failed.
    const asked = lockHolders(store.joined?.outside ?? store, scheduleId).catch(() => []);
    const holders = await Promise.race([asked, setTimeout(HOLDERS_MILLISECONDS, [], { ref: false })]);
    throw new ScheduleLockedError(scheduleId, { cause: error }, holders.map(describeHolder));
  }
}
