import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { Nemesis } from './nemesis';

/** Another client takes every free connection of Postgres. */
export const connections: Nemesis = {
  name: 'connections used up',
  weight: 1,
  draw: (random) => ({ targets: ['postgres'], milliseconds: random.between(1_000, 8_000), detail: {} }),
  async run({ primary }, { milliseconds }) {
    const taken: Client[] = [];
    try {
      for (;;) {
        const client = new Client({ connectionString: primary.url() });
        client.on('error', () => {});
        await client.connect();
        taken.push(client);
      }
    } catch {
      // Now Postgres has no free connection left.
    }
    await setTimeout(milliseconds);
    await Promise.all(taken.map((client) => client.end().catch(() => {})));
    return undefined;
  },
};
