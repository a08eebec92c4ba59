import { nextOf, previousOf } from '../dst';
import { spend } from '../steps';
import type { Zone } from '../zones/zone';
import type { Calendar } from './calendar';

/** How many checks of whether a calendar's last result still applies count as one step (`steps.ts`). */
const COMPARED_IN_A_STEP = 8;

/**
 * Calendars that follow the rule of `dst.ts`, evaluated together. For each calendar, the group remembers the last range
 * that was searched and had no occurrence. A later query inside that range needs no search.
 */
export class CalendarGroup {
  private readonly ahead: Searched;
  private readonly back: Searched;

  constructor(
    readonly calendars: readonly Calendar[],
    private readonly zone: Zone,
  ) {
    this.ahead = new Searched(calendars, (calendar, from) => nextOf(calendar, zone, from));
    this.back = new Searched(calendars, (calendar, upTo) => -previousOf(calendar, zone, -upTo));
  }

  /** The first occurrence that is not before `from`; infinity when there is none. */
  next(from: number): number {
    return this.ahead.first(from);
  }

  /** The last occurrence that is not after `upTo`; minus infinity when there is none. */
  previous(upTo: number): number {
    return -this.back.first(-upTo);
  }

  /** The last occurrence in `from … upTo`; minus infinity if there is none. The search never goes before `from`. */
  lastIn(from: number, upTo: number): number {
    const { calendars, zone } = this;
    const { found } = this.ahead;
    let last = this.next(from);
    if (last > upTo) return Number.NEGATIVE_INFINITY;
    for (let i = 0; i < calendars.length; i++) {
      if (found[i]! <= upTo) last = Math.max(last, previousOf(calendars[i]!, zone, upTo));
    }
    return last;
  }
}

/** The ranges without occurrences that were found by searches in one direction of time. */
class Searched {
  /**
   * Calendar i has no occurrence in `asked[i] … found[i]`, the end excluded. `found[i]` is the occurrence that was
   * found, or infinite.
   */
  readonly asked: number[];
  readonly found: number[];

  constructor(
    private readonly calendars: readonly Calendar[],
    /**
     * Finds a calendar's first occurrence from an instant on, this instant included; NaN if there is none. A search back
     * in time negates the times.
     */
    private readonly search: (calendar: Calendar, from: number) => number,
  ) {
    this.asked = calendars.map(() => Number.NaN);
    this.found = [...this.asked];
  }

  first(from: number): number {
    const { calendars, asked, found } = this;
    spend(1 + calendars.length / COMPARED_IN_A_STEP);
    let first = Number.POSITIVE_INFINITY;
    for (let i = 0; i < calendars.length; i++) {
      if (!(asked[i]! <= from && from <= found[i]!)) {
        const next = this.search(calendars[i]!, from);
        found[i] = Number.isNaN(next) ? Number.POSITIVE_INFINITY : next;
        asked[i] = from;
      }
      if (found[i]! < first) first = found[i]!;
    }
    return first;
  }
}
