import { hash32 } from '../../core/occurrences/hash';
import type { ObservedFiring } from '../../store/firings/observe';
import { groupBy } from '../group';

/**
 * Once in this time each chain is asked for by itself, whatever a list shows: with a pause between looks, within five minutes,
 * unless looks fall behind.
 */
const TURN_MILLISECONDS = 240_000;
/**
 * Where looks have fallen behind and more than this lies between two of a chain, its turns come half as often, and again with
 * each doubling.
 */
const RARER_FROM_MILLISECONDS = 36_000;
/** However far looks fall behind, no more than so many turns become one. */
const RAREST = 1_024;
/** Of so many of a namespace all are asked for: with fewer answers a list could not be held against them. */
const AT_LEAST = 10;
/** Where more of those that a list showed as running have ended, it lags too far behind to be relied on. */
const LAGS_SHARE = 0.25;

/** What asking for a chain by itself told. */
export interface OwnLook {
  state: 'running' | 'closed' | 'unanswered';
  firing: Pick<ObservedFiring, 'namespace'>;
}

/**
 * Which of those that a list shows as running are asked for by themselves at this look: of each namespace those whose turn it
 * is, and as many more as make ten, those first of which it is not known that they get nowhere. Thousands wait for a worker
 * behind an outage, or run for days, and calls for each of them would slow down what they wait for. A turn that Temporal does
 * not answer is not made up for.
 *
 * @param isBehind whether more looks are due than were taken
 */
export function takeTurns<Firing extends ObservedFiring>(firings: readonly Firing[], isBehind: boolean) {
  const asked: Firing[] = [];
  const others: Firing[] = [];
  for (const ofNamespace of groupBy(firings, (firing) => firing.namespace).values()) {
    const ranks = groupBy(ofNamespace, (firing) => rankOf(firing, isBehind));
    const inOrder = RANKS.flatMap((rank) => ranks.get(rank) ?? []);
    const size = Math.max(AT_LEAST, ranks.get('turn')?.length ?? 0);
    asked.push(...inOrder.slice(0, size));
    others.push(...inOrder.slice(size));
  }
  return { asked, others };
}

/** Who is asked for before whom. */
const RANKS = ['turn', 'running', 'stalled'] as const;

function rankOf(firing: ObservedFiring, isBehind: boolean): (typeof RANKS)[number] {
  if (hasTurn(firing, isBehind)) return 'turn';
  return firing.stalled === null ? 'running' : 'stalled';
}

/**
 * Whether a look is its turn, at a time of the chain's own: each is due from one look to the next, without a gap. Rarer
 * turns fall on times of more frequent ones, so that none is missed while looks catch up or fall further behind.
 */
function hasTurn({ workflowId, dueAt, nextDueAt }: ObservedFiring, isBehind: boolean): boolean {
  const apart = isBehind ? turnsApart(nextDueAt.getTime() - dueAt.getTime()) : TURN_MILLISECONDS;
  const offset = (hash32(workflowId) / 2 ** 32) * TURN_MILLISECONDS * RAREST;
  const turnOf = (time: Date) => Math.floor((time.getTime() + offset) / apart);
  return turnOf(nextDueAt) > turnOf(dueAt);
}

/** Milliseconds from one turn to the next: so that at most every sixth look is one, while they are less than ten hours apart. */
function turnsApart(looksApart: number): number {
  const times = 2 ** Math.ceil(Math.log2(looksApart / RARER_FROM_MILLISECONDS));
  return TURN_MILLISECONDS * Math.min(RAREST, Math.max(1, times));
}

/** Namespaces whose list shows too many as running that have ended, by what was `asked` of those it showed so. */
export function namespacesThatLag(asked: readonly OwnLook[]): Set<string> {
  const lagging = new Set<string>();
  const answered = asked.filter(({ state }) => state !== 'unanswered');
  for (const [namespace, looks] of groupBy(answered, ({ firing }) => firing.namespace)) {
    if (looks.filter(({ state }) => state === 'closed').length > looks.length * LAGS_SHARE) lagging.add(namespace);
  }
  return lagging;
}
