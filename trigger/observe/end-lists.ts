import type { TriggerLimits } from '../limits';

/** The longest pause between two polls of an open chain. */
export const LONGEST_POLL_PAUSE_MILLISECONDS = 300_000;
/**
 * The ends of a namespace are listed for this long after one of its chains was seen to run. By then the chain was
 * polled again.
 */
const OPEN_MILLISECONDS = LONGEST_POLL_PAUSE_MILLISECONDS + 60_000;
/** An end that is listed later than this is found by a poll of its chain. */
const LATE_MILLISECONDS = 30_000;
/** How often the list is read over that whole range. */
const WHOLE_LIST_MILLISECONDS = 10_000;
/** In between, lists start this far before the newest end: a server writes ends concurrently, not in their order. */
const OVERLAP_MILLISECONDS = 2_000;
/** A namespace that does not support lists is tried again after this time. */
const UNLISTED_MILLISECONDS = 60_000;

/** What is known of the list of one namespace. */
interface ListedNamespace {
  /** Until when a chain counts as open in the namespace, in epoch milliseconds. */
  openUntil: number;
  /** The time of the newest listed end, by Temporal's clock, in epoch milliseconds. */
  newest: number;
  /** When the whole list was last read. */
  wholeAt: number;
  /** Until when its chains are polled one by one. */
  unlistedUntil: number;
  /** Listed runs that need no further record. */
  settled: Set<string>;
}

/** The start of a list's range. */
export interface ListRange {
  since: Date;
  /** Whether the range covers every end that may have been listed late. */
  isWhole: boolean;
}

/**
 * What this trigger knows of the lists of ended chains, by namespace. These are only hints: the ledger records how far
 * the lists were read, and a lost hint costs reading a few ends again.
 */
export class EndLists {
  readonly #namespaces = new Map<string, ListedNamespace>();

  /** @param now epoch milliseconds */
  constructor(
    private readonly now: () => number,
    private readonly limits: Pick<
      TriggerLimits,
      'listEndsIntervalMilliseconds' | 'observeIntervalMilliseconds' | 'stalledAfterMilliseconds'
    >,
  ) {}

  /**
   * The lists to use when the database has been replaced: it may have lost what was recorded. This is a new object,
   * since a pass in progress would put old entries back.
   */
  ofOtherDatabase(): EndLists {
    const lists = new EndLists(this.now, this.limits);
    for (const [namespace, { openUntil }] of this.#namespaces) lists.#of(namespace).openUntil = openUntil;
    return lists;
  }

  /** A chain of this namespace runs. */
  runs(namespace: string): void {
    this.#of(namespace).openUntil = this.now() + OPEN_MILLISECONDS;
  }

  /** Namespaces with a running chain, and until when that counts. */
  open(): { namespace: string; until: Date }[] {
    return [...this.#namespaces].flatMap(([namespace, { openUntil }]) =>
      openUntil > this.now() ? [{ namespace, until: new Date(openUntil) }] : [],
    );
  }

  /** Milliseconds from linking a chain to its first poll. The end of a chain is usually listed before that. */
  firstPollAfter(namespace: string): number {
    return this.isUnlisted(namespace) ? this.limits.observeIntervalMilliseconds : this.shortestPause;
  }

  /** The first pause for a chain that nothing is known of. By then the chain shows whether a worker has taken it. */
  get shortestPause(): number {
    return this.limits.stalledAfterMilliseconds + this.limits.observeIntervalMilliseconds;
  }

  /** Whether each chain must be polled by itself. */
  isUnlisted(namespace: string): boolean {
    return this.limits.listEndsIntervalMilliseconds === 0 || this.#of(namespace).unlistedUntil > this.now();
  }

  /** Namespaces that do not list ended chains, or 'all'. */
  unlisted(): string[] | 'all' {
    if (this.limits.listEndsIntervalMilliseconds === 0) return 'all';
    return [...this.#namespaces.keys()].filter((namespace) => this.isUnlisted(namespace));
  }

  /** @returns whether this is new */
  doesNotList(namespace: string): boolean {
    const known = this.#of(namespace);
    const isNew = known.unlistedUntil === Number.NEGATIVE_INFINITY;
    known.unlistedUntil = this.now() + UNLISTED_MILLISECONDS;
    return isNew;
  }

  /**
   * A poll finds ends before this range, since their chains have been due for a poll since then.
   *
   * @param listedTo the time up to which an earlier list was complete
   */
  rangeOf(namespace: string, listedTo: Date): ListRange {
    const { newest, wholeAt } = this.#of(namespace);
    const now = this.now();
    const whole = Math.max(Math.min(listedTo.getTime(), now) - LATE_MILLISECONDS, now - OPEN_MILLISECONDS);
    const isWhole = now - wholeAt >= WHOLE_LIST_MILLISECONDS;
    return { since: new Date(isWhole ? whole : Math.max(whole, newest - OVERLAP_MILLISECONDS)), isWhole };
  }

  isSettled(namespace: string, runId: string): boolean {
    return this.#of(namespace).settled.has(runId);
  }

  /** Everything about this run has been recorded. */
  settle(namespace: string, runId: string): void {
    this.#of(namespace).settled.add(runId);
  }

  /** A list was read to its end. */
  listed(namespace: string, runs: ReadonlyMap<string, Date>, { isWhole }: ListRange): void {
    const known = this.#of(namespace);
    known.unlistedUntil = Number.NEGATIVE_INFINITY;
    for (const closedAt of runs.values()) known.newest = Math.max(known.newest, closedAt.getTime());
    if (!isWhole) return;
    known.wholeAt = this.now();
    known.settled = new Set([...known.settled].filter((runId) => runs.has(runId)));
  }

  #of(namespace: string): ListedNamespace {
    const never = Number.NEGATIVE_INFINITY;
    const known = this.#namespaces.get(namespace);
    if (known) return known;
    const made = { openUntil: never, newest: never, wholeAt: never, unlistedUntil: never, settled: new Set<string>() };
    this.#namespaces.set(namespace, made);
    return made;
  }
}
