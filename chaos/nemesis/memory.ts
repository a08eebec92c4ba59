import { setTimeout } from 'node:timers/promises';
import { until } from '../../bench/lib/wait';
import { type Nemesis, triggersAmong } from './nemesis';

/** What V8 writes when the limit of the heap is reached, before it aborts the process. */
const ABORTED = 'heap out of memory';

/** The heap of one trigger fills up to its limit, so that V8 aborts the process, and again after each restart. */
export const memory: Nemesis = {
  name: 'memory',
  weight: 2,
  draw: (random, members) => ({
    targets: [random.pick(triggersAmong(members))],
    milliseconds: random.between(4_000, 12_000),
    detail: {},
  }),
  async run(world, { targets, milliseconds }) {
    const member = world.member(targets[0]!);
    const aborts = () => member.log().split(ABORTED).length - 1;
    const before = aborts();
    member.setInside({ memory: 'leaks' });
    await setTimeout(milliseconds);
    await until(`${member.name} to run out of memory`, async () => aborts() > before);
    member.setInside({});
    return undefined;
  },
};
