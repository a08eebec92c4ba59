import { setTimeout } from 'node:timers/promises';
import { type Nemesis, triggersAmong } from './nemesis';

/**
 * Only the calls of StartWorkflowExecution fail, in all triggers or in one. Either such a call does not reach the
 * server, or its answer is lost.
 */
export const starts: Nemesis = {
  name: 'starts',
  weight: 4,
  draw: (random, members) => {
    const triggers = triggersAmong(members);
    return {
      targets: random.pick([triggers, [random.pick(triggers)]]),
      milliseconds: random.between(1_000, 12_000),
      detail: { starts: random.pick(['refused', 'unanswered']) },
    };
  },
  async run(world, { targets, milliseconds, detail }) {
    const members = targets.map((name) => world.member(name));
    for (const member of members) member.setInside({ starts: detail.starts === 'refused' ? 'refused' : 'unanswered' });
    await setTimeout(milliseconds);
    for (const member of members) member.setInside({});
    return undefined;
  },
};
