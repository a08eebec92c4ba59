import { setTimeout } from 'node:timers/promises';
import type { Nemesis } from './nemesis';

/** The ledger's Postgres is stopped immediately, and restarted on its data. */
export const postgresCrash: Nemesis = {
  name: 'postgres crash',
  weight: 3,
  draw: (random) => ({ targets: ['postgres'], milliseconds: random.between(200, 8_000), detail: {} }),
  async run(world, { milliseconds }) {
    await world.primary.stop();
    await setTimeout(milliseconds);
    world.primary = await world.primary.startAgain();
    return undefined;
  },
};
