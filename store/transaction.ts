import type { QueryResult, RawBuilder } from 'kysely';
import { type Store, storeOn } from './connection';
import { boundedly } from './join';
import { isLockTimeout, isTransient } from './postgres-errors';

const ATTEMPTS = 5;

/**
 * Run one statement outside of a transaction, again when it lost to another one: two updates of the same rows in
 * different orders deadlock, and the planner chooses the order.
 */
export function run<Row>(store: Store, statement: RawBuilder<Row>): Promise<QueryResult<Row>> {
  return store.joined ? statement.execute(store.db) : retryTransient(() => statement.execute(store.db));
}

async function retryTransient<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      // Whoever keeps a lock for the two seconds of an attempt will mostly keep it; a person who waits is to hear of that.
      if (attempt >= ATTEMPTS || isLockTimeout(error) || !isTransient(error)) throw error;
    }
  }
}

/**
 * Run one short transaction under READ COMMITTED, bounded as `session.ts` says. Run again when it lost to another one. On a
 * store that has joined the caller's transaction it is part of that, bounded only in how long it waits for locks.
 */
export async function transact<Result>(store: Store, work: (transaction: Store) => Promise<Result>): Promise<Result> {
  if (store.joined) return boundedly(store, () => work(store));
  return retryTransient(() =>
    store.db.transaction().execute((transaction) => work(storeOn(transaction, store.schema))),
  );
}
