import { type Lane, PARTS, type Part, type TakenPage } from '../../store/firings/waiting';

/** Everything that waits is looked at again after this long, however little was expected of it. */
const FULL_LOOK_MILLISECONDS = 5_000;

/** What this trigger expects of one namespace. */
interface Expected {
  /** Firings that may wait, of those that nobody is about to take: all where others may have left some. */
  firings: number;
  /** Of those that this trigger claimed: firings that have a time to keep. */
  timely: number;
  /** Whether anything may wait that is not on time. */
  isBehind: boolean;
  lookedBehindAt: number;
  /** When what waits in vain was last looked for. */
  lookedExpiredAt: number;
  /** The lane that had the last turn of each part. */
  after: Record<Part, Lane>;
}

/**
 * What may wait for its start, by namespace. Hints alone: the rows are the queue, and whoever forgets these looks once more.
 */
export class WaitingHints {
  readonly #namespaces = new Map<string, Expected>();
  #onMore: (namespaces: Iterable<string>) => void = () => {};

  /** @param now epoch milliseconds */
  constructor(private readonly now: () => number) {}

  /** Call `listener` whenever more may wait, with the namespaces in which it does. */
  onMore(listener: (namespaces: Iterable<string>) => void): void {
    this.#onMore = listener;
  }

  /** Firings of all namespaces that have a time to keep. */
  get timely(): number {
    let sum = 0;
    for (const { timely } of this.#namespaces.values()) sum += timely;
    return sum;
  }

  /** Namespaces in which anything may wait. */
  namespaces(): string[] {
    return [...this.#namespaces].filter(([, { firings }]) => firings > 0).map(([name]) => name);
  }

  /** These wait since just now. */
  claimed(firings: readonly { namespace: string; late: boolean }[]): void {
    if (firings.length === 0) return;
    const namespaces = new Set<string>();
    for (const { namespace, late } of firings) {
      const expected = this.of(namespace);
      expected.firings += 1;
      if (late) expected.isBehind = true;
      else expected.timely += 1;
      namespaces.add(namespace);
    }
    this.#onMore(namespaces);
  }

  /** Something waits in these, whoever claimed it. */
  found(namespaces: readonly string[]): void {
    for (const name of namespaces) this.of(name).firings = Number.POSITIVE_INFINITY;
    if (namespaces.length > 0) this.#onMore(namespaces);
  }

  /** Whether what is overdue or missed is worth looking at. */
  isBehind(namespace: string): boolean {
    const { isBehind, lookedBehindAt } = this.of(namespace);
    return isBehind || this.now() - lookedBehindAt >= FULL_LOOK_MILLISECONDS;
  }

  /** What is expected of a namespace. */
  of(namespace: string): Expected {
    const known = this.#namespaces.get(namespace);
    if (known) return known;
    const none = { tenant: '', taskQueue: '' };
    const after = Object.fromEntries(PARTS.map((part) => [part, none])) as Record<Part, Lane>;
    const never = Number.NEGATIVE_INFINITY;
    const made = { firings: 0, timely: 0, isBehind: true, lookedBehindAt: never, lookedExpiredAt: never, after };
    this.#namespaces.set(namespace, made);
    return made;
  }

  /** Nobody else needs to look for so many: they are about to be taken. */
  taking(namespace: string, limit: number): void {
    const expected = this.of(namespace);
    expected.firings = Math.max(0, expected.firings - limit);
  }

  /** What came of it. */
  took(namespace: string, page: TakenPage, { limit, onTimeOnly }: { limit: number; onTimeOnly: boolean }): void {
    const expected = this.of(namespace);
    const isAll = page.firings.length < limit && !page.isHeldBack && !page.isCut;
    Object.assign(expected.after, page.after);
    expected.timely = isAll ? 0 : Math.max(0, expected.timely - page.firings.filter(({ late }) => !late).length);
    if (!isAll) {
      expected.firings = Number.POSITIVE_INFINITY;
      // What stays on time for too long is overdue.
      expected.isBehind = true;
      return;
    }
    if (expected.firings === Number.POSITIVE_INFINITY) expected.firings = 0;
    if (onTimeOnly) return;
    expected.isBehind = false;
    expected.lookedBehindAt = this.now();
  }

  /** It could not be taken. */
  failed(namespace: string): void {
    this.of(namespace).firings = Number.POSITIVE_INFINITY;
  }
}
