import type { TriggerLimits } from '../limits';

/** The longest pause between two polls of an open chain. */
export const LONGEST_POLL_PAUSE_MILLISECONDS = 300_000;
/** The ends of a namespace are listed for this long after one of its chains was seen to run. */
const OPEN_MILLISECONDS = LONGEST_POLL_PAUSE_MILLISECONDS + 60_000;
/** If an end appears in the list later than this, a list of late ends finds it, or a poll of its chain. */
const LATE_MILLISECONDS = 30_000;
/**
 * How often late ends are listed. While Temporal recovers, or its visibility store is slow, ends may appear minutes
 * late.
 */
export const LATE_LIST_MILLISECONDS = 30_000;
/**
 * While a trigger reads a list of late ends, others wait for this long after each page. Then it counts as dead. A page
 * hardly takes longer: it has 500 chains, of which 16 at a time are looked up for up to five seconds each.
 */
const LATE_LIST_HELD_MILLISECONDS = 180_000;
/**
 * A list of late ends reads the ends of six minutes. If that takes long, the next one is due after this many times as
 * long, so that a list of up to a hundred seconds takes at most a quarter of the time. The pause is at most
 * {@link LONGEST_POLL_PAUSE_MILLISECONDS}: by then polls find such ends.
 */
const LATE_LIST_PAUSE_TIMES = 3;
/** How often the list is read over the whole range in which ends may appear late. */
const WHOLE_LIST_MILLISECONDS = 10_000;
/**
 * Other reads of the list begin this long before the newest end: a server writes ends concurrently, not in their order.
 */
const OVERLAP_MILLISECONDS = 2_000;
/** The longest pause after which a namespace whose ends cannot be listed is asked again. */
const LEFT_ALONE_MILLISECONDS = 60_000;
/**
 * If a namespace does not list ends, its chains are polled one by one for this long. That is longer than the pause
 * before the list is tried again, so that the polls do not stop in between.
 */
const UNLISTED_MILLISECONDS = 2 * LEFT_ALONE_MILLISECONDS;

/**
 * If a namespace answers other calls but not this list for so long, it counts as not listing ends: its visibility store
 * may be down. Three calls may reach their deadline in this time.
 */
const UNANSWERED_MILLISECONDS = 15_000;

interface ListedNamespace {
  /** Until when a chain in the namespace counts as open, in epoch milliseconds. */
  openUntil: number;
  /** The time of the newest listed end, by Temporal's clock, in epoch milliseconds. */
  newest: number;
  /** When the list was last read over its whole range. */
  wholeAt: number;
  /** When the namespace was last asked and did not list its ended chains; minus infinity if it lists them. */
  unlistedAt: number;
  /** Since when the namespace has not listed its ended chains. */
  unlistedSince: number;
  /** When the namespace, though not away, first and last gave no answer to a list; undefined if the last was answered. */
  unanswered: { since: number; at: number } | undefined;
  /** Listed runs that later reads of the list leave out: their IDs, and when they closed, in epoch milliseconds. */
  settled: Map<string, number>;
}

export interface ListRange {
  since: Date;
  /** Whether the range covers every end that is listed at most half a minute late. */
  isWhole: boolean;
}

/**
 * What this trigger knows of the lists of ended chains, by namespace. These are only hints: the ledger records how far
 * the lists were read, and if a hint is lost, only a few ends are read again.
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
   * New lists, to be used when the database was replaced: the new database may lack ends that were recorded. The lists
   * are in a new object, since a pass in progress could put old entries back.
   */
  ofOtherDatabase(): EndLists {
    const lists = new EndLists(this.now, this.limits);
    for (const [namespace, { openUntil }] of this.#namespaces) lists.#of(namespace).openUntil = openUntil;
    return lists;
  }

  runs(namespace: string): void {
    this.#of(namespace).openUntil = this.now() + OPEN_MILLISECONDS;
  }

  /** Namespaces with a running chain, and until when it counts as running. */
  open(): { namespace: string; until: Date }[] {
    return [...this.#namespaces].flatMap(([namespace, { openUntil }]) =>
      openUntil > this.now() ? [{ namespace, until: new Date(openUntil) }] : [],
    );
  }

  /**
   * How many milliseconds after its link, or its start delay, a chain is first polled. If ends are listed, most short
   * chains have ended and been listed before that.
   */
  firstPollAfter(namespace: string): number {
    return this.isUnlisted(namespace) ? this.limits.observeIntervalMilliseconds : this.shortestPause;
  }

  /**
   * The shortest usual pause between polls of a chain whose namespace lists ends. After this pause, a poll can show
   * that no worker takes the chain's workflow task, unless `stalledAfter` is longer.
   */
  get shortestPause(): number {
    const { stalledAfterMilliseconds, observeIntervalMilliseconds } = this.limits;
    return Math.min(stalledAfterMilliseconds + observeIntervalMilliseconds, LONGEST_POLL_PAUSE_MILLISECONDS);
  }

  isUnlisted(namespace: string): boolean {
    return this.limits.listEndsIntervalMilliseconds === 0 || this.#isUnlisted(namespace, UNLISTED_MILLISECONDS);
  }

  /** Namespaces that do not list ended chains, or 'all'. */
  unlisted(): string[] | 'all' {
    if (this.limits.listEndsIntervalMilliseconds === 0) return 'all';
    return [...this.#namespaces.keys()].filter((namespace) => this.isUnlisted(namespace));
  }

  /**
   * Namespaces that are not asked now, since they did not list ended chains. Each namespace is left alone for as long
   * as it has already failed to list them, but at most a minute. So after one failed call, the next pass asks again.
   */
  leftAlone(): string[] {
    return [...this.#namespaces].flatMap(([namespace, { unlistedAt, unlistedSince }]) => {
      const pause = Math.min(unlistedAt - unlistedSince, LEFT_ALONE_MILLISECONDS);
      return this.#isUnlisted(namespace, pause) ? [namespace] : [];
    });
  }

  /** Whether a chain may be running in a namespace that was asked for its ended chains and does not list them. */
  get isAnyUnlisted(): boolean {
    return this.open().some(({ namespace }) => this.#isUnlisted(namespace, UNLISTED_MILLISECONDS));
  }

  /**
   * Note that the namespace does not list ended chains.
   *
   * @returns whether the namespace counted as listing until now: then its chains must be polled earlier than was
   * planned
   */
  doesNotList(namespace: string): boolean {
    const known = this.#of(namespace);
    const isNew = !this.#isUnlisted(namespace, UNLISTED_MILLISECONDS);
    known.unlistedAt = this.now();
    if (isNew) known.unlistedSince = known.unlistedAt;
    return isNew;
  }

  /**
   * Note that a call for ended chains got no answer.
   *
   * @param isAway whether other calls get no answer either
   * @returns the same as {@link doesNotList}, once that has lasted for {@link UNANSWERED_MILLISECONDS}
   */
  gaveNoAnswer(namespace: string, isAway: boolean): boolean {
    const known = this.#of(namespace);
    if (isAway) {
      known.unanswered = undefined;
      return false;
    }
    const at = this.now();
    // Lists may be hours apart, so two that failed say nothing of the time between them.
    const isApart = Math.abs(at - (known.unanswered?.at ?? 0)) > UNANSWERED_MILLISECONDS;
    known.unanswered = { since: isApart ? at : (known.unanswered?.since ?? at), at };
    const isLasting = at - known.unanswered.since >= UNANSWERED_MILLISECONDS;
    return (isLasting || this.#isUnlisted(namespace, UNLISTED_MILLISECONDS)) && this.doesNotList(namespace);
  }

  /**
   * The range over which the list is read now: six minutes at most. Polls find older ends, since their chains have been
   * due for a poll since then. Lists of late ends find those that appear more than half a minute late.
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

  /** The range of a list of late ends that is read now. */
  lateList(): { begunAt: Date; since: Date } {
    const begunAt = this.now();
    return { begunAt: new Date(begunAt), since: new Date(begunAt - OPEN_MILLISECONDS) };
  }

  /** When the next list of late ends is due if the trigger dies before it has read another page of this one. */
  lateListHeldUntil(): Date {
    return new Date(this.now() + LATE_LIST_HELD_MILLISECONDS);
  }

  /**
   * When the next list of late ends is due.
   *
   * @param isComplete whether the last one was read to its end, and each of its chains was looked up. Otherwise, it took
   * long because answers were missing, and the next one is not postponed.
   */
  nextLateList({ begunAt }: { begunAt: Date }, isComplete: boolean): Date {
    const now = this.now();
    const took = now - begunAt.getTime();
    const pause = isComplete
      ? Math.max(LATE_LIST_MILLISECONDS - took, took * LATE_LIST_PAUSE_TIMES)
      : LATE_LIST_MILLISECONDS;
    return new Date(now + Math.min(pause, LONGEST_POLL_PAUSE_MILLISECONDS));
  }

  isSettled(namespace: string, runId: string): boolean {
    return this.#of(namespace).settled.has(runId);
  }

  settle(namespace: string, runId: string, closedAt: Date): void {
    this.#of(namespace).settled.set(runId, closedAt.getTime());
  }

  /**
   * Note that a list was read to its end.
   *
   * @param newest when the last listed run closed, in epoch milliseconds; minus infinity if none was listed
   */
  listed(namespace: string, newest: number, { isWhole }: ListRange): void {
    const known = this.#of(namespace);
    known.unlistedAt = Number.NEGATIVE_INFINITY;
    known.unanswered = undefined;
    known.newest = Math.max(known.newest, newest);
    if (!isWhole) return;
    known.wholeAt = this.now();
    for (const [runId, closedAt] of known.settled)
      if (closedAt < known.wholeAt - OPEN_MILLISECONDS) known.settled.delete(runId);
  }

  #isUnlisted(namespace: string, forMilliseconds: number): boolean {
    // If the clock was set back by more than `forMilliseconds`, nobody knows how much time has passed.
    return Math.abs(this.now() - this.#of(namespace).unlistedAt) < forMilliseconds;
  }

  #of(namespace: string): ListedNamespace {
    const never = Number.NEGATIVE_INFINITY;
    const known = this.#namespaces.get(namespace);
    if (known) return known;
    const unlisted = { unlistedAt: never, unlistedSince: 0, unanswered: undefined };
    const made = { openUntil: never, newest: never, wholeAt: never, ...unlisted, settled: new Map<string, number>() };
    this.#namespaces.set(namespace, made);
    return made;
  }
}
