import type { WaitingLane } from '../../store/firings/waiting';

/** Of more lanes than this a take reads for itself which there are. */
export const KNOWN_LANES_AT_MOST = 100;

/** Lanes, or that they are too many to be known. */
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
 * Lanes of one namespace in which firings may wait, and from when on. They are noted by takes: what becomes known while one is under way
 * outlasts it, since it may not have seen that.
 */
export class KnownLanes {
  #take = 0;
  readonly #noted = new Map<number, Lanes>();

  /** Firings wait in this lane. */
  add(lane: WaitingLane): void {
    const noted = this.#noted.get(this.#take) ?? new Lanes();
    noted.add(lane);
    this.#noted.set(this.#take, noted);
  }

  /** A take begins. Undefined where the lanes are too many to be known. */
  taking(): { take: number; lanes: WaitingLane[] | undefined } {
    const take = this.#take++;
    return { take, lanes: this.#until(take).all() };
  }

  /** It has left nothing of what was known when it began. */
  emptied(take: number): void {
    for (const number of this.#noted.keys()) if (number <= take) this.#noted.delete(number);
  }

  /** It has left some. */
  left(take: number): void {
    const until = this.#until(take);
    this.emptied(take);
    this.#noted.set(take, until);
  }

  #until(take: number): Lanes {
    const noted = [...this.#noted].filter(([number]) => number <= take);
    return noted.reduce((all, [, lanes]) => all.addAll(lanes), new Lanes());
  }
}
