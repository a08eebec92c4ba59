import type { WaitingLane } from '../../store/firings/waiting';

/** With more lanes than this, each take reads the lanes from the ledger. */
export const KNOWN_LANES_AT_MOST = 100;

class Lanes {
  readonly #byName = new Map<string, WaitingLane>();
  #isMany = false;

  add(lane: WaitingLane): void {
    const name = JSON.stringify([lane.late, lane.tenant, lane.taskQueue]);
    const known = this.#byName.get(name);
    if (!this.#isMany && (!known || lane.from < known.from)) this.#byName.set(name, lane);
    if (this.#byName.size > KNOWN_LANES_AT_MOST) this.#tooMany();
  }

  addAll(other: Lanes): this {
    for (const lane of other.#byName.values()) this.add(lane);
    if (other.#isMany) this.#tooMany();
    return this;
  }

  all(): WaitingLane[] | undefined {
    return this.#isMany ? undefined : [...this.#byName.values()];
  }

  #tooMany(): void {
    this.#isMany = true;
    this.#byName.clear();
  }
}

/**
 * The lanes of one namespace in which firings may wait, each with the number of the first take that knows it. A lane
 * that becomes known during a take is kept after it, since the take may not have seen its firings.
 */
export class KnownLanes {
  #take = 0;
  readonly #noted = new Map<number, Lanes>();
  /** For each running take, the lanes that were known when it began. */
  readonly #seen = new Map<number, Lanes>();

  get isEmpty(): boolean {
    return this.#noted.size === 0;
  }

  add(lane: WaitingLane): void {
    this.#sinceLastTake().add(lane);
  }

  /** Note that a take begins. `lanes` is undefined if more lanes have waiting firings than this class remembers. */
  taking(): { take: number; lanes: WaitingLane[] | undefined } {
    const take = this.#take++;
    const seen = [...this.#noted.values()].reduce((all, lanes) => all.addAll(lanes), new Lanes());
    this.#seen.set(take, seen);
    return { take, lanes: seen.all() };
  }

  /** Note that the take left nothing in the lanes that were known when it began. */
  emptied(take: number): void {
    this.#seen.delete(take);
    for (const number of this.#noted.keys()) if (number <= take) this.#noted.delete(number);
  }

  /**
   * Note that the take left some firings, or failed. The lanes that the take knew stay known, since other takes that
   * run at the same time may have skipped the rows that this take had locked.
   */
  left(take: number): void {
    this.#sinceLastTake().addAll(this.#seen.get(take)!);
    this.emptied(take);
  }

  #sinceLastTake(): Lanes {
    const noted = this.#noted.get(this.#take) ?? new Lanes();
    this.#noted.set(this.#take, noted);
    return noted;
  }
}
