import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Store, storeOn } from '../store/connection';
import { isTransient } from '../store/postgres-errors';
import type { Holders } from './holders';

/** What every step works with. */
export interface MigrationRun {
  /** On the one connection that migrates. */
  store: Store;
  holders: Holders;
  /** Leave triggers behind that are alive. */
  force: boolean;
  /** Told what is done, in sentences. */
  onProgress: (sentence: string) => void;
}

/** Claims and links queue behind a lock that is waited for: no longer than this. */
const LOCK_TIMEOUT = '100ms';
/** Before the next try, so that nine tenths of the time are theirs. */
const RETRY_PAUSE_MILLISECONDS = 900;

/** One transaction that waits for a lock only for as long as others may wait behind it, and is run again until it has it. */
export async function patiently(run: MigrationRun, work: (transaction: Store) => Promise<unknown>): Promise<void> {
  await untilItWins(run, () =>
    run.store.db.transaction().execute(async (connection) => {
      const transaction = storeOn(connection, run.store.schema);
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction.db);
      await work(transaction);
    }),
  );
}

/** Do something again, with pauses, for as long as it loses to other transactions. */
export async function untilItWins(run: MigrationRun, work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isTransient(error)) throw error;
      await run.holders.sayAfterTimeout();
      await setTimeout(RETRY_PAUSE_MILLISECONDS);
    }
  }
}
