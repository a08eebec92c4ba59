import { readDueChecks } from '../../store/firings/due-checks';
import { type NextLooks, noteStalls, type ObservedFiring, takeOpenChains } from '../../store/firings/observe';
import { TemporalCallError } from '../../temporal/port';
import { byHalves, takeByHalves } from '../by-halves';
import { concurrently, isDone } from '../concurrently';
import { firingFields, type TriggerContext } from '../context';
import type { GoOn } from '../lanes';
import { lookUpChain } from './chain';
import { recordEnds } from './close';
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
export async function observe(context: TriggerContext, goOn: GoOn = () => {}): Promise<ObserveResult> {
  const now = context.clock.now();
  const next = nextLooks(context, now);
  const limit = context.looks.size;
  const open = await takeByHalves(context, 'a look at a running chain', {
    take: (part) => takeOpenChains(context.store, next, limit, part),
    read: (part) => readDueChecks(context.store, { ...part, state: 'linked', now: next.now, limit }),
  });
  const from = listFrom(context, open);
  const isBehind = context.looks.isFull(open);
  const working = context.lanes.observe.run(open, (share) => observeShare(context, share, { from, isBehind }));
  goOn();
  const found = { looked: 0, closed: 0, unanswered: 0 };
  for (const one of await working) {
    found.looked += one.looked;
    found.closed += one.closed;
    found.unanswered += one.unanswered;
  }
  // Of a namespace that keeps an earlier look waiting none is asked.
  const unanswered = found.unanswered + open.length - found.looked;
  const { closed } = found;
  return { looked: open.length, closed, unanswered, more: context.looks.after({ open, closed, unanswered, now }) };
}

async function observeShare(
  context: TriggerContext,
  open: ObservedFiring[],
  { from, isBehind }: { from: number; isBehind: boolean },
) {
  const { completed, old, rest } = await observeByList(context, open, from);
  const { asked, others } = takeTurns(old, isBehind);
  const first = await lookUp(context, [...rest, ...asked]);
  const isAsked = new Set(asked);
  const lagging = namespacesThatLag(first.filter(({ firing }) => isAsked.has(firing)));
  const unsure = others.filter(({ namespace }) => lagging.has(namespace));
  const looks = [...first, ...(await lookUp(context, unsure))];

  const closed = await recordEnds(context, [...completed, ...looks.filter((look) => look.state === 'closed')]);
  const turned = looks.flatMap(({ state, firing, stalled }) =>
    state === 'running' && stalled !== firing.stalled ? [{ firing, stalled }] : [],
  );
  await byHalves(
    context,
    'the note of a stall',
    turned.map(({ firing, stalled }) => ({ ...firing, stalled })),
    (part) => noteStalls(context.store, part),
  );
  await logStalls(context, turned, looks);
  return { looked: open.length, closed, unanswered: looks.filter((look) => look.state === 'unanswered').length };
}

type Look = Awaited<ReturnType<typeof look>>;

async function lookUp(context: TriggerContext, firings: ObservedFiring[]): Promise<Look[]> {
  const inFlight = Math.min(LOOKS_IN_FLIGHT, context.limits.startsInFlight);
  const looks = await concurrently(firings, inFlight, context.stopping, (firing) => look(context, firing));
  return looks.filter(isDone);
}

async function look(context: TriggerContext, firing: ObservedFiring) {
  try {
    const chain = await lookUpChain(context, firing);
    return chain.state === 'closed'
      ? ({ state: 'closed', firing, closed: chain.closed, stalled: null } as const)
      : ({ state: 'running', firing, stalled: (chain.state === 'running' && chain.stalled) || null } as const);
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    return { state: 'unanswered', firing, stalled: firing.stalled } as const;
  }
}

/** Each once, and what they wait for as long as they do: a task queue without a worker, or a workflow whose task fails. */
async function logStalls(
  context: TriggerContext,
  turned: { firing: ObservedFiring; stalled: string | null }[],
  looks: Look[],
): Promise<void> {
  const { logger, stalls } = context;
  const told = looks.filter(({ state, firing, stalled }) => state !== 'unanswered' && (stalled || firing.stalled));
  const definitions = await context.definitions.load(
    context.store,
    told.map(({ firing }) => firing),
  );
  const routeOf = (firing: ObservedFiring) => {
    const { taskQueue } = definitions(firing).action;
    return { namespace: firing.namespace, taskQueue };
  };
  for (const { firing, stalled } of turned) {
    const fields = { ...firingFields(firing), ...routeOf(firing) };
    if (stalled) logger.warn('stalled', { ...fields, reason: stalled });
    else logger.info('no longer stalled', fields);
  }
  for (const { firing, stalled } of told) {
    if (stalled) stalls.failed({ ...routeOf(firing), reason: stalled }, WHY[stalled] ?? stalled, firingFields(firing));
    else if (firing.stalled) stalls.over({ ...routeOf(firing), reason: firing.stalled });
  }
}

const WHY: Record<string, string> = {
  no_worker: 'no worker takes a workflow task',
  task_failing: 'a workflow task fails again and again',
};

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
