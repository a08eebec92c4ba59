import { setTimeout } from 'node:timers/promises';
import type { Nemesis } from './nemesis';

/** A trigger or a worker is killed by SIGKILL, and stays away for a while. */
export const kill: Nemesis = {
  name: 'kill',
  weight: 6,
  draw: (random, members) => ({
    targets: [random.pick(members)],
    milliseconds: random.between(0, 14_000),
    detail: {},
  }),
  async run(world, { targets, milliseconds }) {
    const member = world.member(targets[0]!);
    await member.kill();
    await setTimeout(milliseconds);
    member.bringBack();
    return undefined;
  },
};
