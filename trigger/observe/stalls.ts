import { noteStalls, type ObservedFiring } from '../../store/firings/observe';
import { byHalves } from '../by-halves';
import { firingFields, type TriggerContext } from '../context';
import type { DescribedChain } from './describe-chains';

/**
 * Record and log which chains make no progress, and which make progress again. When the stall of a running chain
 * begins, ends or gets another cause, that is logged once. Each cause is logged at once, again while it lasts, and when
 * none of the chains that were polled has it any more.
 */
export async function recordStalls(context: TriggerContext, described: readonly DescribedChain[]): Promise<void> {
  const stalledOf = (chain: DescribedChain) => (chain.state === 'running' ? chain.stalled : null);
  const told = described.filter((chain) => chain.state !== 'unanswered' && (stalledOf(chain) || chain.firing.stalled));
  if (told.length === 0) return;
  const turned = told.filter((chain) => chain.state === 'running' && chain.stalled !== chain.firing.stalled);
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
  const causeOf = ({ firing }: DescribedChain, reason: string) => ({ ...routeOf(firing), reason });
  const nameOf = (cause: object) => JSON.stringify(cause);
  const stalling = told.flatMap((chain) => {
    const reason = stalledOf(chain);
    return reason ? [{ cause: causeOf(chain, reason), firing: chain.firing }] : [];
  });
  const names = new Set(stalling.map(({ cause }) => nameOf(cause)));
  for (const chain of told) {
    const before = chain.firing.stalled && causeOf(chain, chain.firing.stalled);
    if (before && !names.has(nameOf(before))) stalls.over(before);
  }
  for (const { cause, firing } of stalling) {
    stalls.failed(cause, WHY[cause.reason] ?? cause.reason, firingFields(firing));
  }
}

const WHY: Record<string, string> = {
  no_worker: 'no worker takes a workflow task',
  task_failing: 'a workflow task fails again and again',
  paused: 'somebody has paused the workflow in Temporal',
};
