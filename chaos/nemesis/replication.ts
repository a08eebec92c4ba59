import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../world/postgres-server';
import type { World } from '../world/world';

const LOOK_EVERY_MILLISECONDS = 50;
const AT_MOST_MILLISECONDS = 30_000;

/** From now on, each commit waits until the standby has it. */
export async function waitForStandby({ primary }: World): Promise<void> {
  await primary.query(`alter system set synchronous_standby_names = 'standby'`);
  await primary.query('select pg_reload_conf()');
  await until(primary, `select from pg_stat_replication where sync_state = 'sync'`);
}

export async function doNotWaitForStandby({ primary }: World): Promise<void> {
  await primary.query('alter system reset synchronous_standby_names');
  await primary.query('select pg_reload_conf()');
}

/** Resolves when the standby has all that the primary has written so far. */
export async function caughtUp({ primary, standby }: World): Promise<void> {
  const [now] = await primary.query<{ at: string }>('select pg_current_wal_lsn()::text as at');
  await until(standby!, `select where pg_last_wal_replay_lsn() >= '${now!.at}'`);
}

/** Resolves when the query returns a row. */
export async function until(server: PostgresServer, query: string): Promise<void> {
  const deadline = Date.now() + AT_MOST_MILLISECONDS;
  while ((await server.query(query)).length === 0) {
    if (Date.now() > deadline) throw new Error(`the servers did not come to this: ${query}`);
    await setTimeout(LOOK_EVERY_MILLISECONDS);
  }
}
