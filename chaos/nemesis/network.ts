import { setTimeout } from 'node:timers/promises';
import type { Way } from '../world/proxy';
import type { World } from '../world/world';
import type { Nemesis } from './nemesis';
import { doNotWaitForStandby, waitForStandby } from './replication';

const LATENCY_MILLISECONDS = 400;

/** The faults of a network path. */
const WAYS: Record<string, (way: Way) => void> = {
  cut: (way) => way.cut(),
  'black hole': (way) => way.hang(),
  'half open': (way) => way.silence(),
  'answers held': (way) => way.holdAnswers(),
  latency: (way) => way.slow(LATENCY_MILLISECONDS),
};

/** The network paths between servers. `to` says where a path leads. */
const BETWEEN_SERVERS = [
  { targets: ['temporal'], to: 'its database' },
  { targets: ['postgres'], to: 'its standby' },
  { targets: ['webhook'], to: 'webhook' },
];

/**
 * A network path is cut, black-holed, half-open or slow, or delays answers. The path is that of a member to Postgres or
 * Temporal, of Temporal to its own Postgres, of all triggers to the webhook, or of the standby to the primary. While
 * the path to the standby has its fault, commits wait for the standby.
 */
export const network: Nemesis = {
  name: 'network',
  weight: 9,
  draw: (random, members) => {
    const ofMembers = members.flatMap((name) => ['postgres', 'temporal'].map((to) => ({ targets: [name], to })));
    const { targets, to } = random.pick([...ofMembers, ...BETWEEN_SERVERS]);
    return {
      targets,
      milliseconds: random.between(500, 14_000),
      detail: { way: random.pick(Object.keys(WAYS)), to },
    };
  },
  async run(world, { targets, milliseconds, detail }) {
    const isReplication = detail.to === 'its standby';
    if (isReplication) await waitForStandby(world);
    const way = wayOf(world, targets[0]!, detail.to!);
    WAYS[detail.way!]!(way);
    await setTimeout(milliseconds);
    way.restore();
    // Temporal's server waits without end for answers on its silent connections, until it is restarted. Its workers then
    // get no tasks.
    if (detail.to === 'its database') way.dropSilent();
    if (isReplication) await doNotWaitForStandby(world);
    return undefined;
  },
};

function wayOf(world: World, from: string, to: string | number): Way {
  switch (to) {
    case 'its database':
      return world.temporalDatabase;
    case 'its standby':
      return world.replication;
    case 'webhook':
      return world.toWebhook;
    default:
      return world.member(from)[to === 'postgres' ? 'postgres' : 'temporal'];
  }
}
