import { ApplicationFailure } from '@temporalio/activity';
import type { Pool } from 'pg';
import { withLease } from '../../activities';

/** Schema of the jobs' own data, in the ledger's database. */
export const EFFECT_TABLES = `
  create table if not exists effects (key text primary key, token bigint not null);
  create table if not exists effect_writes (id bigserial primary key, key text not null, token bigint not null);
  create table if not exists mended (key text primary key);`;

const LEASE = { ttl: '3 seconds', waitAtMost: '10 seconds' } as const;

/** The effects that the workload's workflows have outside of Temporal. */
export function activitiesOn(pool: Pool) {
  return {
    /**
     * Writes the effect of a key once, under a lease. Each attempt also writes its fencing token, so that a write that
     * came too late would be visible.
     */
    async book(key: string): Promise<void> {
      await withLease(
        `book/${key}`,
        async (lease) => {
          const client = await pool.connect();
          client.on('error', () => {});
          try {
            await client.query('begin');
            await lease.guard(client);
            await client.query('insert into effect_writes (key, token) values ($1, $2)', [key, lease.token]);
            await client.query('insert into effects (key, token) values ($1, $2) on conflict (key) do nothing', [
              key,
              lease.token,
            ]);
            await client.query('commit');
          } finally {
            client.release(true);
          }
        },
        LEASE,
      );
    },

    /** Fails until the cause of failure for its key is repaired. */
    async charge(key: string): Promise<void> {
      const { rowCount } = await pool.query('select from mended where key = $1', [key]);
      if (rowCount === 0) throw ApplicationFailure.create({ type: 'BankAway', message: 'the bank does not answer' });
    },
  };
}

export type ChaosActivities = ReturnType<typeof activitiesOn>;
