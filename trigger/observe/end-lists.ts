import type { TriggerLimits } from '../limits';

/** Polls of an open chain are this far apart at most. */
export const LONGEST_POLL_PAUSE_MILLISECONDS = 300_000;
/** For so long after a chain of a namespace was seen to run its ends are listed: by then the chain was polled again. */
const OPEN_MILLISECONDS = LONGEST_POLL_PAUSE_MILLISECONDS + 60_000;
/** Ends that are listed later than this are found by a poll of their chain. */
const LATE_MILLISECONDS = 30_000;
/** All of that while is listed so often. */
const WHOLE_LIST_MILLISECONDS = 10_000;
/** Lists between go back so far behind the newest end: a server writes ends down side by side, not in their order. */
const OVERLAP_MILLISECONDS = 2_000;
/** A namespace that does not list is asked again after this. */
const UNLISTED_MILLISECONDS = 60_000;

/** What is known of the list of one namespace. */
interface ListedNamespace {
  /** Until when a chain counts as open there, epoch milliseconds. */
  openUntil: number;
  /** When the newest end that was listed was, by Temporal's clock, epoch milliseconds. */
  newest: number;
  /** When all was listed last. */
  wholeAt: number;
  /** Until when its chains are polled by themselves. */
  unlistedUntil: number;
  /** Runs that were listed, and of which nothing is left to record. */
  settled: Set<string>;
}

/** From when on a list is read. */
export interface ListRange {
  since: Date;
  /** Whether it holds all that may have been listed late. */
  isWhole: boolean;
}

/**
 * What this trigger knows of the lists of what has ended, by namespace. Hints alone: how far they were read lies in the ledger,
 * and whoever forgets these reads a few ends once more.
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
   * What holds where the database has become another one, in which what was recorded may be lost. A new one: a pass that is under way
   * would put back what is left out.
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

  /** Namespaces in which a chain was seen to run, and until when that counts. */
  open(): { namespace: string; until: Date }[] {
    return [...this.#namespaces].flatMap(([namespace, { openUntil }]) =>
      openUntil > this.now() ? [{ namespace, until: new Date(openUntil) }] : [],
    );
  }

  /** Milliseconds from the link of a chain to its first poll: ends are listed before that. */
  firstPollAfter(namespace: string): number {
    return this.isUnlisted(namespace) ? this.limits.observeIntervalMilliseconds : this.shortestPause;
  }

  /** Of a chain that nothing is known of: by then it shows whether a worker has taken it. */
  get shortestPause(): number {
    return this.limits.stalledAfterMilliseconds + this.limits.observeIntervalMilliseconds;
  }

  /** Whether each chain is to be polled by itself. */
  isUnlisted(namespace: string): boolean {
    return this.limits.listEndsIntervalMilliseconds === 0 || this.#of(namespace).unlistedUntil > this.now();
  }

  /** Namespaces that do not list what has ended, or 'all'. */
  unlisted(): string[] | 'all' {
    if (this.limits.listEndsIntervalMilliseconds === 0) return 'all';
    return [...this.#namespaces.keys()].filter((namespace) => this.isUnlisted(namespace));
  }

  /** @returns whether that was not known */
  doesNotList(namespace: string): boolean {
    const known = this.#of(namespace);
    const isNew = known.unlistedUntil === Number.NEGATIVE_INFINITY;
    known.unlistedUntil = this.now() + UNLISTED_MILLISECONDS;
    return isNew;
  }

  /**
   * What ended before the range is found by a poll: its chain has been due for one since then.
   *
   * @param listedTo where all was read before
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

  /** Nothing of this run is left to record. */
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
