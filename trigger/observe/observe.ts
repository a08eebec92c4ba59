import { readDueChecks } from '../../store/firings/due-checks';
import { type EndCursor, takeEndCursors } from '../../store/firings/ends';
import { type NextPolls, type PolledFiring, takeOpenChains } from '../../store/firings/observe';
import { takeByHalves } from '../by-halves';
import type { TriggerContext } from '../context';
import { allEnd, type GoOn } from '../lanes';
import { recordEnds } from './close';
import { describeChains, isClosed } from './describe-chains';
import { LATE_LIST_MILLISECONDS, LONGEST_POLL_PAUSE_MILLISECONDS } from './end-lists';
import { recordListedEnds } from './ends';
import { recordStalls } from './stalls';

/** The result of one observe pass. */
export interface ObserveResult {
  /** Namespaces whose list of ended chains this pass took. */
  listed: number;
  /** Open chains that were polled. */
  polled: number;
  /** Ends that were recorded. */
  closed: number;
  /** Chains for which Temporal did not answer, or refused. */
  unanswered: number;
  /** Whether another poll should follow at once. */
  more: boolean;
  /** Whether every chain that was due for a poll was taken, except those whose row another session had locked. */
  complete: boolean;
}

/** Limits for one poll of open chains. */
export interface ObserveScope {
  /** Only chains whose poll is due at this time or later are read. @default no limit */
  from?: Date | undefined;
}

const POLL = 'a poll of a running chain';

/**
 * The share of a batch that one pass polls. After a burst thousands of chains may be open, and polling all of them
 * would slow the server down.
 */
const POLLED_SHARE_OF_BATCH = 1 / 5;
/**
 * After a full batch the next one follows at once, if this share of the answered chains has ended or other firings wait
 * for one of the chains.
 */
const WORTH_SHARE = 0.25;
/** The usual pause between two polls of a chain that makes no progress. */
const STALLED_PAUSE_MILLISECONDS = 30_000;
/** If ends cannot be listed, the pause between polls is this share of the chain's age, within limits. */
const UNLISTED_SHARE_OF_AGE = 0.03;
export const LONGEST_UNLISTED_PAUSE_MILLISECONDS = 30_000;

/**
 * Record how open chains ended: from each namespace's list of ended runs, and by polling the chains that are due for a
 * poll. Chains for which other firings wait are polled more often than others. A failed run may be retried, so a firing
 * is closed only when its chain has ended.
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
  // Taking a chain may postpone its next poll by minutes. So a chain is not taken while an earlier pass still waits for
  // Temporal's answers about its namespace.
  const withoutNamespaces = lanes.poll.busy;
  const open = await takeByHalves(context, POLL, {
    take: (part) => takeOpenChains(store, next, limit, { ...part, from, withoutNamespaces }),
    read: (part) => readDueChecks(store, { ...part, from, withoutNamespaces, state: 'linked', now: next.now, limit }),
  });
  // A long list or a server that does not answer must not delay the polls.
  const listing = allEnd(cursors.map((cursor) => recordListedEnds(context, cursor)));
  const polling = lanes.poll.run(open, (share) => pollShare(context, share));
  goOn();
  const [listedEnds, polls] = await allEnd([listing, polling]);
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

/** Takes the lists of ended runs. In each interval, at most one trigger takes the list of a namespace. */
async function takeCursors({ ends, lanes, limits, store, temporal }: TriggerContext, now: Date): Promise<EndCursor[]> {
  const everyMilliseconds = limits.listEndsIntervalMilliseconds;
  if (everyMilliseconds === 0) return [];
  const without = [...temporal.leftAlone(), ...ends.leftAlone(), ...lanes.list.busy];
  const firstLateListAt = new Date(now.getTime() + LATE_LIST_MILLISECONDS);
  return takeEndCursors(store, { now, everyMilliseconds, open: ends.open(), firstLateListAt, without });
}

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
  // Where ends are listed, the pause between polls equals the chain's age, within limits.
  const listedPause = { shortest: ends.shortestPause, longest: LONGEST_POLL_PAUSE_MILLISECONDS, shareOfAge: 1 };
  const unlisted = ends.unlisted();
  return {
    ...{ now, awaitedPause, stalledPause: STALLED_PAUSE_MILLISECONDS, unlistedPause },
    pause: unlisted === 'all' ? unlistedPause : listedPause,
    unlisted: unlisted === 'all' ? [] : unlisted,
  };
}
