import { noteStalls, type ObservedFiring, readEndedStalls, type StallCause } from '../../store/firings/observe';
import { byHalves } from '../by-halves';
import { firingFields, type TriggerContext } from '../context';
import type { DescribedChain } from './describe-chains';

/**
 * Record and log which chains make no progress, and which make progress again. When the stall of a running chain
 * begins, ends or gets another cause, the chain is logged once. Each cause is also logged by task queue: at once, and
 * again while it lasts.
 */
export async function recordStalls(context: TriggerContext, described: readonly DescribedChain[]): Promise<void> {
  const stalledOf = (chain: DescribedChain) => (chain.state === 'running' ? chain.stalled : null);
  const told = described.filter((chain) => chain.state === 'running' && (chain.stalled || chain.firing.stalled));
  if (told.length === 0) return;
  const turned = told.filter((chain) => stalledOf(chain) !== chain.firing.stalled);
  await byHalves(
    context,
    'the note of a stall',
    turned.map((chain) => ({ ...chain.firing, stalled: stalledOf(chain) })),
    (part) => noteStalls(context.store, part),
  );
  const { logger, stalls } = context;
  const definitions = await context.definitions.load(
    context.store,
    told.map(({ firing }) => firing),
  );
  const routeOf = (firing: ObservedFiring) => {
    const { taskQueue } = definitions(firing).action;
    return { namespace: firing.namespace, taskQueue };
  };
  for (const chain of turned) {
    const fields = { ...firingFields(chain.firing), ...routeOf(chain.firing) };
    const stalled = stalledOf(chain);
    if (stalled) logger.warn('stalled', { ...fields, reason: stalled });
    else logger.info('no longer stalled', fields);
  }
  for (const chain of told) {
    const reason = stalledOf(chain);
    if (!reason) continue;
    stalls.failed({ ...routeOf(chain.firing), reason }, WHY[reason] ?? reason, firingFields(chain.firing));
  }
}

/**
 * Log the causes that no chain has any more. The causes are read from the rows, since a list may have contained the end
 * of the last such chain, or another trigger may have recorded it.
 */
export async function sayEndedStalls({ stalls, store }: TriggerContext): Promise<void> {
  const open = stalls.open() as Record<keyof StallCause, string>[];
  if (open.length === 0) return;
  for (const { namespace, taskQueue, reason } of await readEndedStalls(store, open))
    stalls.over({ namespace, taskQueue, reason });
}

const WHY: Record<string, string> = {
  no_worker: 'no worker takes a workflow task',
  task_failing: 'a workflow task fails again and again',
  paused: 'somebody has paused the workflow in Temporal',
};
