import { type ObservedFiring, postponeChecks, takeOpenChains } from '../store/observe';
import { lookUpChain } from './chain';
import { recordEnds } from './close';
import { concurrently, isDone } from './concurrently';
import { firingFields, later, type TriggerContext } from './context';
import { observeByList } from './observe-by-list';
import { TemporalCallError } from './temporal';

/** What one look at open chains found. */
export interface ObserveResult {
  /** Chains that were looked at. */
  looked: number;
  /** Of these, those that have ended. */
  closed: number;
  /** Chains of which Temporal did not answer. */
  unanswered: number;
}

/** Beside the starts: what is due goes before what is over. */
const LOOKS_IN_FLIGHT = 16;
/** A chain is looked at again after this share of the time it has run, so that long ones cost little. */
const LOOK_AGAIN_AFTER_SHARE = 0.1;
const LOOK_AGAIN_AT_MOST_MILLISECONDS = 30_000;

/** Record how open chains ended. A chain is closed when its current run is: a failed run may be retried. */
export async function observe(context: TriggerContext): Promise<ObserveResult> {
  const now = context.clock.now();
  const checkAt = later(now, context.limits.checkAfterMilliseconds);
  const open = await takeOpenChains(context.store, { now: new Date(now), checkAt }, context.limits.batchSize);
  const { completed, running, rest } = await observeByList(context, open);
  // A namespace that does not answer is not asked again in this pass.
  const away = new Set<string>();
  const looks = (
    await concurrently(rest, Math.min(LOOKS_IN_FLIGHT, context.limits.startsInFlight), context.stopping, (firing) =>
      look(context, firing, away),
    )
  ).filter(isDone);

  const closed = await recordEnds(context, [...completed, ...looks.filter((look) => look.state === 'closed')]);
  const waiting = [
    ...running.map((firing) => ({ firing, stalled: firing.stalled })),
    ...looks.filter((look) => look.state !== 'closed'),
  ];
  await postponeChecks(
    context.store,
    waiting.map(({ firing, stalled }) => ({ ...firing, stalled, checkAt: lookAgainAt(context, firing) })),
    later(context.clock.now(), context.limits.observeIntervalMilliseconds),
  );
  for (const { firing, stalled } of waiting) logStall(context, firing, stalled);
  return {
    looked: open.length,
    closed,
    unanswered: looks.filter((look) => look.state === 'unanswered').length,
  };
}

async function look(context: TriggerContext, firing: ObservedFiring, away: Set<string>) {
  if (away.has(firing.namespace)) return { state: 'unanswered', firing, stalled: firing.stalled } as const;
  try {
    const chain = await lookUpChain(context, firing);
    return chain.state === 'closed'
      ? ({ state: 'closed', firing, closed: chain.closed } as const)
      : ({ state: 'running', firing, stalled: (chain.state === 'running' && chain.stalled) || null } as const);
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    away.add(firing.namespace);
    return { state: 'unanswered', firing, stalled: firing.stalled } as const;
  }
}

function logStall({ logger }: TriggerContext, firing: ObservedFiring, stalled: string | null): void {
  if (stalled === firing.stalled) return;
  if (stalled) logger.warn('stalled', { ...firingFields(firing), reason: stalled });
  else logger.info('no longer stalled', firingFields(firing));
}

function lookAgainAt(context: TriggerContext, firing: ObservedFiring): Date {
  const now = context.clock.now();
  const age = now - (firing.linkedAt?.getTime() ?? now);
  const wait = Math.min(LOOK_AGAIN_AT_MOST_MILLISECONDS, age * LOOK_AGAIN_AFTER_SHARE);
  return later(now, Math.max(context.limits.observeIntervalMilliseconds, wait));
}
