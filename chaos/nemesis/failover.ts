import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../world/postgres-server';
import type { World } from '../world/world';
import type { Nemesis } from './nemesis';
import { caughtUp, until, waitForStandby } from './replication';

/**
 * The standby of the ledger's Postgres is promoted. No committed data is lost: the standby has caught up,
 * and each later commit waits for it.
 */
export const synchronousFailover: Nemesis = {
  name: 'synchronous failover',
  weight: 1,
  draw: (random) => ({ targets: ['postgres'], milliseconds: random.between(0, 3_000), detail: {} }),
  async run(world, { milliseconds }) {
    await waitForStandby(world);
    // Earlier commits did not wait for the standby, so it first catches up with them.
    await caughtUp(world);
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
    // The failover could lose requests that people make, so none are made during it.
    world.asking.heldDuring(async () => {
      const old = world.primary;
      await caughtUp(world);
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
