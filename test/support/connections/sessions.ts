import { expect } from 'vitest';
import type { TestLedger } from '../ledger';

/** End every session of the database but the test's own. They are gone when this resolves. */
export async function endSessions(ledger: TestLedger): Promise<void> {
  const ended = await ledger.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const left = () => ledger.query('select from pg_stat_activity where pid = any($1)', [ended.map(({ pid }) => pid)]);
  await expect.poll(left).toEqual([]);
}
