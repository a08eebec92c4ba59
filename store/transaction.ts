import type { QueryResult, RawBuilder } from 'kysely';
import { type Store, storeOn } from './connection';
import { withLockTimeout } from './join';
import { isLockTimeout, isPlanLost, isTransient } from './postgres-errors';

const ATTEMPTS = 5;

/**
 * Run one statement, up to five times in all: again after a deadlock, a serialization failure, a lost plan, or if its
 * month was created just now. Two updates of the same rows in different orders can deadlock, and the planner chooses
 * the order. Within a transaction the statement runs once, since an error ends the transaction.
 */
export function run<Row>(store: Store, statement: RawBuilder<Row>): Promise<QueryResult<Row>> {
  const isInTransaction = store.joined || store.afterCommit;
  return isInTransaction ? statement.execute(store.db) : retryTransient(() => statement.execute(store.db));
}

async function retryTransient<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      // A caller that has waited for a lock in vain learns of that at once, instead of waiting up to five times as
      // long.
      const mayPass = isTransient(error) || isPlanLost(error);
      if (attempt >= ATTEMPTS || isLockTimeout(error) || !mayPass) throw error;
    }
  }
}

/**
 * Run one transaction, and run it again after the errors that {@link run} names. On a store that joined the caller's
 * transaction, the work becomes a part of that transaction, and only its waits for locks are limited. Before it
 * returns, this function takes the steps that the work has left in `afterCommit`. An error of such a step is not
 * thrown, since the change is committed: other passes do what remains.
 */
export async function transact<Result>(store: Store, work: (transaction: Store) => Promise<Result>): Promise<Result> {
  if (store.joined) return withLockTimeout(store, '2s', () => work(store));
  let afterCommit: NonNullable<Store['afterCommit']> = [];
  const result = await retryTransient(() => {
    afterCommit = [];
    return store.db
      .transaction()
      .execute((transaction) => work({ ...storeOn(transaction, store.schema), afterCommit }));
  });
  await takeSteps(store, afterCommit).catch(() => undefined);
  return result;
}

async function takeSteps(store: Store, steps: NonNullable<Store['afterCommit']>): Promise<void> {
  for (const step of steps) while (await transact(store, step));
}
