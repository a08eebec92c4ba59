import type { AgendaAnswer } from '../../api/types';
import { partsOf } from '../../time/format';

const HOUR = 3_600_000;
const MINUTES = 60;

/** Future firings, minute by minute. */
export type Ahead = Pick<AgendaAnswer, 'from' | 'minutes' | 'firings' | 'leftOut'>;

export interface HeatDay {
  /** The date of the day, such as `2026-11-25`. */
  day: string;
  /** The name of the day, such as `Wed 25`. */
  name: string;
  /** The instants at which the counted hours of the day begin, by hour. */
  starts: Map<number, number>;
}

/** Firings by day and hour of a time zone, and by minute of the day. */
export interface Cells {
  days: HeatDay[];
  /** Number of firings by `<day> <hour>`. */
  hours: Map<string, number>;
  /** Number of firings in each minute of the day, by day; the empty name holds the sum of all days. */
  minutes: Map<string, number[]>;
}

export function cellsOf({ from, minutes }: Ahead, zone: string): Cells {
  const begin = Date.parse(from);
  const days = new Map<string, HeatDay>();
  const cells: Cells = { days: [], hours: new Map(), minutes: new Map([['', emptyDay()]]) };
  for (let at = 0; at < minutes.length; at += MINUTES) {
    const start = begin + (at / MINUTES) * HOUR;
    const local = partsOf(new Date(start), zone);
    const day = `${local.year}-${local.month}-${local.day}`;
    const [hour, minute] = [Number(local.hour), Number(local.minute)];
    const known = days.get(day) ?? { day, name: `${local.weekday} ${local.day}`, starts: new Map() };
    days.set(day, known);
    // An hour that occurs twice, because of a clock change, is one cell.
    if (!known.starts.has(hour)) known.starts.set(hour, start);
    const ofDay = cells.minutes.get(day) ?? emptyDay();
    cells.minutes.set(day, ofDay);
    const key = `${day} ${hour}`;
    let sum = cells.hours.get(key) ?? 0;
    for (let offset = 0; offset < MINUTES && at + offset < minutes.length; offset++) {
      const count = minutes[at + offset]!;
      sum += count;
      // Offsets of time zones are whole minutes, but not all are whole hours.
      const ofTheDay = (hour * MINUTES + minute + offset) % (24 * MINUTES);
      ofDay[ofTheDay]! += count;
      cells.minutes.get('')![ofTheDay]! += count;
    }
    cells.hours.set(key, sum);
  }
  cells.days = [...days.values()];
  return cells;
}

function emptyDay(): number[] {
  return new Array<number>(24 * MINUTES).fill(0);
}

const LEVELS = 5;

/**
 * The level of a cell's colour, from 0 to 5, on a logarithmic scale: a burst may have a hundred times the usual number.
 */
export function levelOf(count: number, most: number): number {
  if (count === 0 || most === 0) return 0;
  return Math.max(1, Math.min(LEVELS, Math.ceil((Math.log1p(count) / Math.log1p(most)) * LEVELS)));
}
