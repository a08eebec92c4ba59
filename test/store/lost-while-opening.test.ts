import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { watchedPool } from '../support/connections/watched-pool';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

it('a connection that was being opened while another one was lost is not used again', async () => {
  const pool = watchedPool(ledger(), {});
  let opens: Promise<void> = Promise.resolve();
  const connect = async () => {
    const client = await pool.connect();
    await opens;
    return client;
  };
  const store = openStore({ pool: { connect } });
  const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)).rows[0]!.pid;
  let open = () => {};
  try {
    const opening = await store.db.connection().execute(async (other) => {
      opens = new Promise((resolve) => {
        open = resolve;
      });
      const opening = pid();
      await expect(sql`select pg_terminate_backend(pg_backend_pid())`.execute(other)).rejects.toThrow();
      return [opening];
    });
    open();
    const [opened] = await Promise.all(opening);
    expect(await pid()).not.toBe(opened);
  } finally {
    open();
    await store.close();
  }
});
