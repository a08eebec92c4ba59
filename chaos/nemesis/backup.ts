import { setTimeout } from 'node:timers/promises';
import type { Nemesis } from './nemesis';

/** The ledger's Postgres is replaced with a copy from some seconds ago. */
export const backup: Nemesis = {
  name: 'backup put back',
  weight: 1,
  draw: (random) => ({ targets: ['postgres'], milliseconds: random.between(1_000, 6_000), detail: {} }),
  run: (world, { milliseconds }) =>
    world.asking.heldDuring(async () => {
      const from = Date.now();
      const copy = await world.primary.backUp();
      await setTimeout(milliseconds);
      await world.primary.stop();
      world.leadTo(await copy.restore());
      const to = Date.now();
      await world.makeStandby();
      return { from, to };
    }),
};
