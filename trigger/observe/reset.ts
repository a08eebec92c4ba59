import { type FiringOutcome, nameOf } from '../../core/firing';
import { readDueChecks } from '../../store/firings/due-checks';
import { pollAgain } from '../../store/firings/observe';
import { type EndedFiring, reopenFirings, takeEndedChains } from '../../store/firings/reset';
import { TemporalCallError } from '../../temporal/port';
import { byHalves, takeByHalves } from '../by-halves';
import { cancelAtOf } from '../claim/soft-timeout';
import { concurrently, isDone } from '../concurrently';
import { firingFields, later, type TriggerContext } from '../context';
import type { GoOn } from '../lanes';
import { lookUpChain } from './chain';
import { type EndedChain, recordEnds } from './close';

/** The result of one poll of ended chains. */
export interface ResetResult {
  /** Ended chains that were polled. */
  polled: number;
  /** Firings that were opened again, since their chain was reset. */
  reopened: number;
  /**
   * Whether every chain that was due for a poll was polled, except those whose row another session had locked: no
   * namespace and no schedule was left out.
   */
  complete: boolean;
}

/** Limits for one poll of ended chains. */
export interface ResetScope {
  /** Only chains whose poll is due at this time or later are read. @default no limit */
  from?: Date | undefined;
}

const ENDED = 'a poll of an ended chain';

/**
 * Find chains that a person has reset after they ended. A chain that was reset runs again, so its firing opens again
 * and later records the new end. Chains that ended without completing are watched for a week, at growing pauses. A chain
 * with the outcome `unknown` is watched only if it may still run.
 */
export async function reset(
  context: TriggerContext,
  goOn: GoOn = () => {},
  { from }: ResetScope = {},
): Promise<ResetResult> {
  const now = context.clock.now();
  const { lanes, temporal } = context;
  const { resetCheckMilliseconds, resetWatchMilliseconds, batchSize } = context.limits;
  const watch = {
    now: new Date(now),
    checkMilliseconds: resetCheckMilliseconds,
    watchMilliseconds: resetWatchMilliseconds,
    withoutNamespaces: [...temporal.leftAlone(), ...lanes.reset.busy],
    limit: batchSize,
  };
  const ended = await takeByHalves(context, ENDED, {
    take: (part) => takeEndedChains(context.store, watch, { ...part, from }),
    read: (part) => readDueChecks(context.store, { ...watch, ...part, from, state: 'closed' }),
  });
  const working = lanes.reset.run(ended, (share) => resetShare(context, share));
  goOn();
  const reopened = await working;
  const leftOut = watch.withoutNamespaces.length + context.aside.all(ENDED).length;
  return {
    polled: ended.length,
    reopened: reopened.reduce((sum, count) => sum + count, 0),
    complete: ended.length < batchSize && leftOut === 0,
  };
}

async function resetShare(context: TriggerContext, ended: EndedFiring[]): Promise<number> {
  const { startsInFlight } = context.limits;
  const answers = await concurrently(ended, startsInFlight, context.stopping, (firing) => ask(context, firing));
  const changed = answers.filter(isDone).filter((one) => one.changed);
  const definitions = await context.definitions.load(
    context.store,
    changed.map((one) => one.firing),
  );
  const now = context.clock.now();
  const parts = await byHalves(
    context,
    'the record of a reset',
    changed.map(({ firing }) => ({ ...firing, cancelAt: cancelAtOf(context, definitions(firing)) })),
    (part) => reopenFirings(context.store, part, new Date(now)),
    (part) => part.reopened,
  );
  const reopened = parts.flatMap((part) => part.reopened);
  const held = parts.flatMap((part) => part.held);
  // The next poll of an old chain may be an hour away. The lock of its schedule is usually free again after a moment,
  // so the chain is polled again soon.
  await pollAgain(context.store, held, later(now, context.limits.resetCheckMilliseconds), 'closed');
  const names = new Set(reopened.map(nameOf));
  for (const { firing } of changed)
    if (names.has(nameOf(firing))) context.logger.info('reopened', firingFields(firing));
  // A chain may have been reset and have ended again since the last poll.
  await recordEnds(context, changed.map((one) => one.ended).filter(isDone));
  return reopened.length;
}

async function ask(context: TriggerContext, firing: EndedFiring) {
  try {
    const chain = await lookUpChain(context, firing);
    if (chain.state === 'running') return { firing, changed: true, ended: undefined };
    const isNew =
      chain.state === 'closed' &&
      isKnown(chain.closed) &&
      (!isKnown(firing) || chain.closed.closedAt > firing.closedAt);
    const ended: EndedChain | undefined = isNew ? { firing, closed: chain.closed } : undefined;
    return { firing, changed: isNew, ended };
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    return undefined;
  }
}

/** Whether Temporal knew how the chain ended. An unknown end must not replace the end in the row. */
function isKnown({ outcome }: { outcome: FiringOutcome }): boolean {
  return outcome !== 'unknown';
}
