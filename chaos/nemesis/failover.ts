import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../world/postgres-server';
import type { World } from '../world/world';
import type { Nemesis } from './nemesis';

const LOOK_EVERY_MILLISECONDS = 50;
const AT_MOST_MILLISECONDS = 30_000;

/**
 * The standby of the ledger's Postgres is promoted. No committed data is lost, since each commit has waited for the
 * standby.
 */
export const synchronousFailover: Nemesis = {
  name: 'synchronous failover',
  weight: 1,
  draw: (random) => ({ targets: ['postgres'], milliseconds: random.between(0, 3_000), detail: {} }),
  async run(world, { milliseconds }) {
    await world.primary.query(`alter system set synchronous_standby_names = 'standby'`);
    await world.primary.query('select pg_reload_conf()');
    await until(world.primary, `select from pg_stat_replication where sync_state = 'sync'`);
    await setTimeout(milliseconds);
    await world.primary.stop();
    await promoteStandby(world);
    return undefined;
  },
};

/**
 * The standby of the ledger's Postgres is promoted without the last seconds of the primary.
 */
export const asynchronousFailover: Nemesis = {
  name: 'asynchronous failover',
  weight: 1,
  draw: (random) => ({
    targets: ['postgres'],
    milliseconds: random.between(1_000, 5_000),
    detail: { old: random.pick(['is gone', 'takes no writes']) },
  }),
  run: (world, { milliseconds, detail }) =>
    // The failover could lose requests of people, so no requests are made during it.
    world.asking.heldDuring(async () => {
      const old = world.primary;
      const [now] = await old.query<{ at: string }>('select pg_current_wal_lsn()::text as at');
      await until(world.standby!, `select where pg_last_wal_replay_lsn() >= '${now!.at}'`);
      const from = Date.now();
      world.replication.cut();
      await setTimeout(milliseconds);
      if (detail.old === 'is gone') await old.stop();
      else {
        await old.query('alter system set default_transaction_read_only = on');
        await old.query('select pg_reload_conf()');
      }
      await promoteStandby(world, old);
      return { from, to: Date.now() };
    }),
};

async function promoteStandby(world: World, old?: PostgresServer): Promise<void> {
  const promoted = world.standby!;
  world.standby = undefined;
  await promoted.query('select pg_promote()');
  await until(promoted, 'select where not pg_is_in_recovery()');
  world.leadTo(promoted);
  await world.makeStandby();
  await old?.stop();
}

/** Resolves when the query returns a row. */
async function until(server: PostgresServer, query: string): Promise<void> {
  const deadline = Date.now() + AT_MOST_MILLISECONDS;
  while ((await server.query(query)).length === 0) {
    if (Date.now() > deadline) throw new Error(`the servers did not come to this: ${query}`);
    await setTimeout(LOOK_EVERY_MILLISECONDS);
  }
}
