import { setTimeout } from 'node:timers/promises';
import type { Way } from '../world/proxy';
import type { Nemesis } from './nemesis';

const LATENCY_MILLISECONDS = 400;

/** The faults of a network path. */
const WAYS: Record<string, (way: Way) => void> = {
  cut: (way) => way.cut(),
  'black hole': (way) => way.hang(),
  'half open': (way) => way.silence(),
  'answers held': (way) => way.holdAnswers(),
  latency: (way) => way.slow(LATENCY_MILLISECONDS),
};

/** One member's network path to Postgres or Temporal is cut, black-holed, half-open or slow, or delays answers. */
export const network: Nemesis = {
  name: 'network',
  weight: 8,
  draw: (random, members) => ({
    targets: [random.pick(members)],
    milliseconds: random.between(500, 14_000),
    detail: { way: random.pick(Object.keys(WAYS)), to: random.pick(['postgres', 'temporal']) },
  }),
  async run(world, { targets, milliseconds, detail }) {
    const way = world.member(targets[0]!)[detail.to === 'postgres' ? 'postgres' : 'temporal'];
    WAYS[detail.way!]!(way);
    await setTimeout(milliseconds);
    way.restore();
    return undefined;
  },
};
