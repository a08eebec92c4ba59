import { compareLanes, type Lane, PARTS, type Part, type TakenPage } from '../../store/firings/waiting';

/**
 * Tells when takes that got no firing have together looked at all lanes of a namespace. If there are many lanes, a take
 * looks at some of them only, in each part from behind the last one that an earlier take looked at.
 */
export class LaneRound {
  /** In each part, the lane after which the first of these takes began. */
  readonly #begun = new Map<Part, Lane>();
  readonly #ended = new Set<Part>();

  /**
   * Note what a take got that began after these lanes.
   *
   * @returns whether this take and those before it got no firing, and have not looked at all lanes
   */
  goesOn({ firings, after, isCut }: TakenPage, from: Readonly<Record<Part, Lane>>): boolean {
    const cut = isCut && firings.length === 0 ? PARTS.filter((part) => after[part]) : [];
    for (const part of cut) {
      const first = this.#begun.get(part) ?? from[part];
      this.#begun.set(part, first);
      if (isPassed(first, from[part], after[part]!)) this.#ended.add(part);
    }
    if (cut.some((part) => !this.#ended.has(part))) return true;
    this.#begun.clear();
    this.#ended.clear();
    return false;
  }
}

/**
 * Whether the lane is one of those after `from`, up to and including `to`. The first lane comes after the last. If the
 * database has another order, a round may end early.
 */
function isPassed(lane: Lane, from: Lane, to: Lane): boolean {
  const isBehind = compareLanes(lane, from) > 0;
  const isReached = compareLanes(lane, to) <= 0;
  return compareLanes(from, to) < 0 ? isBehind && isReached : isBehind || isReached;
}
