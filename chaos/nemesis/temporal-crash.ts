import { setTimeout } from 'node:timers/promises';
import type { Nemesis } from './nemesis';

/** The Temporal server is killed, and restarted on its databases. */
export const temporalCrash: Nemesis = {
  name: 'temporal crash',
  weight: 2,
  draw: (random) => ({ targets: ['temporal'], milliseconds: random.between(200, 8_000), detail: {} }),
  async run({ temporal }, { milliseconds }) {
    await temporal.crash();
    await setTimeout(milliseconds);
    await temporal.startAgain();
    return undefined;
  },
};
