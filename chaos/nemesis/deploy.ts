import { setTimeout } from 'node:timers/promises';
import type { Nemesis } from './nemesis';

/**
 * A trigger or a worker is stopped by SIGTERM and started again. Before a trigger is started again, a trigger of the
 * previous version runs in its place for a while, beside triggers of this version.
 */
export const deploy: Nemesis = {
  name: 'deploy',
  weight: 3,
  draw: (random, members) => ({
    targets: [random.pick(members)],
    milliseconds: random.between(5_000, 15_000),
    detail: {},
  }),
  async run(world, { targets, milliseconds }) {
    const member = world.member(targets[0]!);
    if (member.role === 'trigger') {
      // This trigger sends no alerts, since it gets no webhook.
      await member.deploy([world.versionBefore, 'run']);
      await setTimeout(milliseconds);
    }
    await member.deploy();
    return undefined;
  },
};
