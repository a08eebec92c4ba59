import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Store, storeOn } from '../store/connection';
import { isTransient } from '../store/postgres-errors';
import type { Holders } from './holders';

export interface MigrationRun {
  /** A store on the only connection that migrates. */
  store: Store;
  holders: Holders;
  force: boolean;
  onProgress: (sentence: string) => void;
}

/** The longest wait for a lock. During such a wait, claims and links wait behind the migration. */
const LOCK_TIMEOUT = '100ms';
/** The pause between two waits for a lock: other sessions work undisturbed for nine tenths of the time. */
const RETRY_PAUSE_MILLISECONDS = 900;

/**
 * Run one transaction that waits at most {@link LOCK_TIMEOUT} for each lock, and repeat the transaction until it gets
 * its locks.
 */
export async function patiently(run: MigrationRun, work: (transaction: Store) => Promise<unknown>): Promise<void> {
  await untilItWins(run, () =>
    run.store.db.transaction().execute(async (connection) => {
      const transaction = storeOn(connection, run.store.schema);
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction.db);
      await work(transaction);
    }),
  );
}

/** Repeat some work, with pauses, as long as it fails because of other transactions. */
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
