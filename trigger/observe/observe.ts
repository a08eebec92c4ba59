import { readDueChecks } from '../../store/firings/due-checks';
import { type EndCursor, takeEndCursors } from '../../store/firings/ends';
import { type NextPolls, type PolledFiring, takeOpenChains } from '../../store/firings/observe';
import { takeByHalves } from '../by-halves';
import type { TriggerContext } from '../context';
import { bothEnd, type GoOn } from '../lanes';
import { recordEnds } from './close';
import { describeChains, isClosed } from './describe-chains';
import { LONGEST_POLL_PAUSE_MILLISECONDS } from './end-lists';
import { recordListedEnds } from './ends';
import { recordStalls } from './stalls';

/** What one observe pass found. */
export interface ObserveResult {
  /** Namespaces that were asked for what has ended. */
  listed: number;
  /** Open chains that were polled. */
  polled: number;
  /** Ends that were recorded. */
  closed: number;
  /** Chains of which Temporal did not answer. */
  unanswered: number;
  /** Whether it is worth polling further at once. */
  more: boolean;
  /** Whether nothing whose poll was due is left. */
  complete: boolean;
}

/** How one poll of open chains is narrowed. */
export interface ObserveScope {
  /** No poll that was due before is left. @default no bound */
  from?: Date | undefined;
}

/** How a poll is named where Postgres refuses it. */
const POLL = 'a poll of a running chain';

/**
 * Of a batch one pass polls this part: behind a stampede thousands of chains wait for a worker, and calls for each of them
 * would slow down what they wait for.
 */
const POLLED_SHARE_OF_BATCH = 1 / 5;
/** The share of polled chains that have ended from which a full page is worth the next one at once. */
const WORTH_SHARE = 0.25;
/** Between two polls of a chain that gets nowhere. */
const STALLED_PAUSE_MILLISECONDS = 30_000;
/** Where ends are not listed, the pause is this share of the time that a chain has run, and no longer than that. */
const UNLISTED_SHARE_OF_AGE = 0.03;
export const LONGEST_UNLISTED_PAUSE_MILLISECONDS = 30_000;

/**
 * Record how open chains ended: by what each namespace lists as ended, and by a poll of those chains that are due for one. Others
 * wait for them, they get nowhere, or they have not been polled for long. A chain is closed when its current run is: a failed
 * run may be retried.
 */
export async function observe(
  context: TriggerContext,
  goOn: GoOn = () => {},
  { from }: ObserveScope = {},
): Promise<ObserveResult> {
  const { lanes, limits, store } = context;
  const now = context.clock.now();
  const cursors = await takeCursors(context, new Date(now));
  const limit = Math.ceil(limits.batchSize * POLLED_SHARE_OF_BATCH);
  const next = nextPolls(context, new Date(now));
  // What is taken is not due again for minutes: it is left where an earlier pass still waits for its namespace.
  const withoutNamespaces = lanes.poll.busy;
  const open = await takeByHalves(context, POLL, {
    take: (part) => takeOpenChains(store, next, limit, { ...part, from, withoutNamespaces }),
    read: (part) => readDueChecks(store, { ...part, from, withoutNamespaces, state: 'linked', now: next.now, limit }),
  });
  // A list that is long, or whose server is silent, holds up no poll.
  const listing = lanes.list.run(cursors, ([cursor]) => recordListedEnds(context, cursor!));
  const polling = lanes.poll.run(open, (share) => pollShare(context, share));
  goOn();
  const [listedEnds, polls] = await bothEnd(listing, polling);
  const { closed, ended, unanswered } = sumOf(polls);
  const answered = open.length - unanswered;
  const isWorth = open.some(({ isAwaited }) => isAwaited) || ended >= answered * WORTH_SHARE;
  const leftOut = withoutNamespaces.length + context.aside.all(POLL).length;
  return {
    listed: cursors.length,
    polled: open.length,
    closed: closed + listedEnds.reduce((sum, ends) => sum + ends, 0),
    unanswered,
    more: open.length === limit && answered > 0 && isWorth,
    complete: open.length < limit && leftOut === 0,
  };
}

/** One trigger at a time lists the ends of a namespace. */
async function takeCursors({ ends, lanes, limits, store, temporal }: TriggerContext, now: Date): Promise<EndCursor[]> {
  const everyMilliseconds = limits.listEndsIntervalMilliseconds;
  if (everyMilliseconds === 0) return [];
  const without = [...temporal.leftAlone(), ...lanes.list.busy];
  return takeEndCursors(store, { now, everyMilliseconds, open: ends.open(), without });
}

/** What came of the polls of one namespace. */
interface PolledShare {
  closed: number;
  ended: number;
  unanswered: number;
}

async function pollShare(context: TriggerContext, share: PolledFiring[]): Promise<PolledShare> {
  const described = await describeChains(context, share);
  const ended = described.filter(isClosed);
  const closed = await recordEnds(context, ended);
  await recordStalls(context, described);
  const unanswered = described.filter(({ state }) => state === 'unanswered').length;
  return { closed, ended: ended.length, unanswered };
}

function sumOf(shares: PolledShare[]): PolledShare {
  const sum = { closed: 0, ended: 0, unanswered: 0 };
  for (const share of shares) {
    sum.closed += share.closed;
    sum.ended += share.ended;
    sum.unanswered += share.unanswered;
  }
  return sum;
}

function nextPolls({ ends, limits }: TriggerContext, now: Date): NextPolls {
  const awaitedPause = limits.observeIntervalMilliseconds;
  const unlistedPause = {
    shortest: awaitedPause,
    longest: LONGEST_UNLISTED_PAUSE_MILLISECONDS,
    shareOfAge: UNLISTED_SHARE_OF_AGE,
  };
  // As long as the chain is old, so that the pauses double.
  const listedPause = { shortest: ends.shortestPause, longest: LONGEST_POLL_PAUSE_MILLISECONDS, shareOfAge: 1 };
  const unlisted = ends.unlisted();
  return {
    ...{ now, awaitedPause, stalledPause: STALLED_PAUSE_MILLISECONDS, unlistedPause },
    pause: unlisted === 'all' ? unlistedPause : listedPause,
    unlisted: unlisted === 'all' ? [] : unlisted,
  };
}
