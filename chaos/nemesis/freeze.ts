import { setTimeout } from 'node:timers/promises';
import type { Nemesis } from './nemesis';

/**
 * SIGSTOP and SIGCONT of a trigger or a worker. The longest freeze exceeds every lease and every deadline, except that
 * of a check.
 */
export const freeze: Nemesis = {
  name: 'freeze',
  weight: 5,
  draw: (random, members) => ({
    targets: [random.pick(members)],
    milliseconds: random.pick([500, 3_000, 9_000, 13_000, 20_000]),
    detail: {},
  }),
  async run(world, { targets, milliseconds }) {
    const member = world.member(targets[0]!);
    member.freeze();
    await setTimeout(milliseconds);
    member.thaw();
    return undefined;
  },
};
