import { setTimeout } from 'node:timers/promises';
import type { Nemesis } from './nemesis';

/**
 * A trigger or a worker is frozen by SIGSTOP, and continues after SIGCONT. The longest freeze is longer than a job's
 * lease, and than the time after which a trigger counts as dead.
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
