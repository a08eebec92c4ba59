import { type Lane, PARTS, type Part, type TakenPage, type WaitingLane } from '../../store/firings/waiting';
import { KnownLanes } from './known-lanes';

/** The firings that this trigger expects to wait for their start in one namespace. */
interface Expected {
  /**
   * The number of firings that may wait and that no pass is about to take. The number is infinite while it is unknown.
   */
  firings: number;
  /** About how many of the waiting firings that this trigger noted are not late. */
  timely: number;
  lanes: KnownLanes;
  /** While the namespace refuses every call: when the last check for waiting firings to abandon ended. */
  expiredCheckedAt: number;
  /** Since when each check has found that the namespace refuses every live trigger; else undefined. */
  closedSince: number | undefined;
  /** Since when each check has found that the namespace is missing to every live trigger; else undefined. */
  unknownSince: number | undefined;
  /** The lane that was served last in each part. */
  after: Record<Part, Lane>;
}

/** What a take may have left. */
export interface LeftByTake {
  /** Whether more firings may wait that can be taken at once. */
  more: boolean;
  /**
   * Whether a cap held firings back, nothing was taken, and there may be more lanes than one take reads. In the lanes
   * that were not read, firings may wait that no cap holds back.
   */
  lanesLeft: boolean;
}

interface Claimed extends Lane {
  namespace: string;
  late: boolean;
  readyAt: Date;
}

/**
 * Firings that may wait for their start, by namespace. These are only hints: the rows are the queue, and a lost hint
 * costs one more read.
 */
export class WaitingHints {
  readonly #namespaces = new Map<string, Expected>();
  #onMore: (namespaces: Iterable<string>) => void = () => {};

  onMore(listener: (namespaces: Iterable<string>) => void): void {
    this.#onMore = listener;
  }

  get timely(): number {
    let sum = 0;
    for (const { timely } of this.#namespaces.values()) sum += timely;
    return sum;
  }

  namespaces(): string[] {
    return [...this.#namespaces].filter(([, { firings }]) => firings > 0).map(([name]) => name);
  }

  claimed(firings: readonly Claimed[]): void {
    if (firings.length === 0) return;
    const namespaces = new Set<string>();
    for (const { namespace, tenant, taskQueue, late, readyAt } of firings) {
      const expected = this.of(namespace);
      expected.firings += 1;
      if (!late) expected.timely += 1;
      expected.lanes.add({ tenant, taskQueue, late, from: readyAt });
      namespaces.add(namespace);
    }
    this.#onMore(namespaces);
  }

  /** Note lanes in which firings wait, whichever trigger claimed them. */
  found(lanes: readonly (WaitingLane & { namespace: string })[]): void {
    for (const { namespace, ...lane } of lanes) {
      this.#unknown(namespace, { wakes: false });
      this.of(namespace).lanes.add(lane);
    }
    if (lanes.length > 0) this.#onMore(new Set(lanes.map(({ namespace }) => namespace)));
  }

  of(namespace: string): Expected {
    const known = this.#namespaces.get(namespace);
    if (known) return known;
    const none = { tenant: '', taskQueue: '' };
    const after = Object.fromEntries(PARTS.map((part) => [part, none])) as Record<Part, Lane>;
    const never = Number.NEGATIVE_INFINITY;
    const made = {
      firings: 0,
      timely: 0,
      lanes: new KnownLanes(),
      expiredCheckedAt: never,
      closedSince: undefined,
      unknownSince: undefined,
      after,
    };
    this.#namespaces.set(namespace, made);
    return made;
  }

  /** Note that a pass is about to take this many firings, so that no other pass tries to. */
  taking(namespace: string, limit: number): { take: number; lanes: WaitingLane[] | undefined } {
    const expected = this.of(namespace);
    expected.firings = Math.max(0, expected.firings - limit);
    return expected.lanes.taking();
  }

  took(namespace: string, page: TakenPage, { limit, take }: { limit: number; take: number }): LeftByTake {
    const expected = this.of(namespace);
    const isFull = page.firings.length === limit;
    const isAll = page.firings.length < limit && !page.isHeldBack && !page.isCut;
    // A cap of one task queue holds no other task queue back. Firings of another one may wait behind a full batch, or
    // in lanes that were not read.
    const lanesLeft = page.isCut && page.isHeldBack && page.firings.length === 0;
    const more = isFull || (page.isCut && !lanesLeft);
    Object.assign(expected.after, page.after);
    expected.timely = isAll ? 0 : Math.max(0, expected.timely - page.firings.filter(({ late }) => !late).length);
    if (!isAll) {
      expected.lanes.left(take);
      // Loops that left these firings to this take must run after all. But if a cap holds back all of these firings,
      // other loops could not start them either.
      this.#unknown(namespace, { wakes: more || lanesLeft });
      return { more, lanesLeft };
    }
    expected.lanes.emptied(take);
    // The take may not have seen claims that were made while it ran.
    if (expected.firings === Number.POSITIVE_INFINITY && expected.lanes.isEmpty) expected.firings = 0;
    return { more, lanesLeft };
  }

  /** Note that a take failed, so that the firings that other loops left to it still wait. */
  failed(namespace: string, take: number): void {
    this.of(namespace).lanes.left(take);
    this.#unknown(namespace, { wakes: true });
  }

  #unknown(namespace: string, { wakes }: { wakes: boolean }): void {
    const expected = this.of(namespace);
    const wasKnown = expected.firings !== Number.POSITIVE_INFINITY;
    expected.firings = Number.POSITIVE_INFINITY;
    if (wakes && wasKnown) this.#onMore([namespace]);
  }
}
