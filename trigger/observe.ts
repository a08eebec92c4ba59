import { type NextLooks, noteStalls, type ObservedFiring, takeOpenChains } from '../store/observe';
import { TemporalCallError } from '../temporal/port';
import { lookUpChain } from './chain';
import { recordEnds } from './close';
import { concurrently, isDone } from './concurrently';
import { firingFields, type TriggerContext } from './context';
import { namespacesThatLag, takeTurns } from './look-turns';
import { observeByList } from './observe-by-list';

/** What one look at open chains found. */
export interface ObserveResult {
  /** Chains that were looked at. */
  looked: number;
  /** Of these, those that have ended. */
  closed: number;
  /** Chains of which Temporal did not answer. */
  unanswered: number;
  /** Whether it is worth looking further at once. */
  more: boolean;
}

/** Beside the starts: what is due goes before what is over. */
const LOOKS_IN_FLIGHT = 16;
/** A chain is looked at again after this share of the time it has run, so that long ones cost little. */
const LOOK_AGAIN_AFTER_SHARE = 0.03;
/** However long it has run. */
export const LOOK_AGAIN_AT_MOST_MILLISECONDS = 30_000;

/** Record how open chains ended. A chain is closed when its current run is: a failed run may be retried. */
export async function observe(context: TriggerContext): Promise<ObserveResult> {
  const now = context.clock.now();
  const open = await takeOpenChains(context.store, nextLooks(context, now), context.looks.size);
  const { completed, old, rest } = await observeByList(context, open, listFrom(context, open));
  const { asked, others } = takeTurns(old, context.looks.isFull(open));
  // A namespace that does not answer is not asked again in this pass.
  const away = new Set<string>();
  const first = await lookUp(context, [...rest, ...asked], away);
  const isAsked = new Set(asked);
  const lagging = namespacesThatLag(first.filter(({ firing }) => isAsked.has(firing)));
  // Of those that are away none is called: they count as unanswered.
  const unsure = others.filter(({ namespace }) => lagging.has(namespace) || away.has(namespace));
  const looks = [...first, ...(await lookUp(context, unsure, away))];

  const closed = await recordEnds(context, [...completed, ...looks.filter((look) => look.state === 'closed')]);
  const turned = looks.flatMap(({ state, firing, stalled }) =>
    state === 'running' && stalled !== firing.stalled ? [{ firing, stalled }] : [],
  );
  await noteStalls(
    context.store,
    turned.map(({ firing, stalled }) => ({ ...firing, stalled })),
  );
  for (const { firing, stalled } of turned) logStall(context, firing, stalled);
  const unanswered = looks.filter((look) => look.state === 'unanswered').length;
  return { looked: open.length, closed, unanswered, more: context.looks.after({ open, closed, unanswered, now }) };
}

type Look = Awaited<ReturnType<typeof look>>;

async function lookUp(context: TriggerContext, firings: ObservedFiring[], away: Set<string>): Promise<Look[]> {
  const inFlight = Math.min(LOOKS_IN_FLIGHT, context.limits.startsInFlight);
  const looks = await concurrently(firings, inFlight, context.stopping, (firing) => look(context, firing, away));
  return looks.filter(isDone);
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
    if (error.kind !== 'rejected') away.add(firing.namespace);
    return { state: 'unanswered', firing, stalled: firing.stalled } as const;
  }
}

function logStall({ logger }: TriggerContext, firing: ObservedFiring, stalled: string | null): void {
  if (stalled) logger.warn('stalled', { ...firingFields(firing), reason: stalled });
  else logger.info('no longer stalled', firingFields(firing));
}

/** A full page that is short tells of more: where a namespace has its share of it, a list is worth it as in a whole batch. */
function listFrom({ limits, looks }: TriggerContext, open: ObservedFiring[]): number {
  const { observeByListFrom, batchSize } = limits;
  return looks.isFull(open) ? (observeByListFrom * looks.size) / batchSize : observeByListFrom;
}

function nextLooks({ limits }: TriggerContext, now: number): NextLooks {
  return {
    now: new Date(now),
    shortestMilliseconds: limits.observeIntervalMilliseconds,
    longestMilliseconds: LOOK_AGAIN_AT_MOST_MILLISECONDS,
    shareOfAge: LOOK_AGAIN_AFTER_SHARE,
  };
}
