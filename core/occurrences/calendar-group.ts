import type { Calendar } from './calendar';
import { nextOf, previousOf } from './dst';
import { spend } from './steps';
import type { Zone } from './zone';

/** Comparing with what is remembered costs so much less than a step. */
const COMPARED_IN_A_STEP = 8;

/**
 * Calendars that follow the rule of `dst.ts`, together. For each it remembers the stretch without an occurrence that was
 * searched last: whoever asks within it again, as one who walks from occurrence to occurrence does, costs nothing.
 */
export class CalendarGroup {
  /** No occurrence of calendar i lies in `asked[i] … found[i]`, the end exclusive; it is one, or infinite. */
  private readonly asked: number[];
  private readonly found: number[];
  /** The same towards the past. */
  private readonly askedBack: number[];
  private readonly foundBack: number[];

  constructor(
    readonly calendars: readonly Calendar[],
    private readonly zone: Zone,
  ) {
    const nowhere = calendars.map(() => Number.NaN);
    this.asked = [...nowhere];
    this.found = [...nowhere];
    this.askedBack = [...nowhere];
    this.foundBack = [...nowhere];
  }

  /** The first occurrence that is not before `from`; infinity when there is none. */
  next(from: number): number {
    const { calendars, zone, asked, found } = this;
    spend(1 + calendars.length / COMPARED_IN_A_STEP);
    let first = Number.POSITIVE_INFINITY;
    for (let i = 0; i < calendars.length; i++) {
      if (!(asked[i]! <= from && from <= found[i]!)) {
        const next = nextOf(calendars[i]!, zone, from);
        found[i] = Number.isNaN(next) ? Number.POSITIVE_INFINITY : next;
        asked[i] = from;
      }
      if (found[i]! < first) first = found[i]!;
    }
    return first;
  }

  /** The last occurrence that is not after `upTo`; minus infinity when there is none. */
  previous(upTo: number): number {
    const { calendars, zone, askedBack, foundBack } = this;
    spend(1 + calendars.length / COMPARED_IN_A_STEP);
    let last = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < calendars.length; i++) {
      if (!(foundBack[i]! <= upTo && upTo <= askedBack[i]!)) {
        const previous = previousOf(calendars[i]!, zone, upTo);
        foundBack[i] = Number.isNaN(previous) ? Number.NEGATIVE_INFINITY : previous;
        askedBack[i] = upTo;
      }
      if (foundBack[i]! > last) last = foundBack[i]!;
    }
    return last;
  }

  /** The last occurrence in `from … upTo`; minus infinity when there is none. Nobody looks further back for it. */
  lastIn(from: number, upTo: number): number {
    const { calendars, zone, found } = this;
    let last = this.next(from);
    if (last > upTo) return Number.NEGATIVE_INFINITY;
    for (let i = 0; i < calendars.length; i++) {
      if (found[i]! <= upTo) last = Math.max(last, previousOf(calendars[i]!, zone, upTo));
    }
    return last;
  }
}
