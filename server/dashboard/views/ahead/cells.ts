import type { AgendaAnswer } from '../../api/types';
import { partsOf } from '../../time/format';

const MINUTE = 60_000;
const HOUR = 60;
/**
 * The step in which minutes are assigned to local hours, in minutes. The offsets of time zones from UTC, and the
 * instants at which they change, are multiples of this step.
 */
const STEP = 15;

export type Ahead = Pick<AgendaAnswer, 'from' | 'minutes' | 'firings' | 'leftOut'>;

export interface HeatDay {
  /** The date of the day, such as `2026-11-25`. */
  day: string;
  /** The name of the day, such as `Wed 25`. */
  name: string;
  /** The range that is counted for each hour of the day. */
  hours: Map<number, { from: number; to: number }>;
}

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
  for (let at = 0; at < minutes.length; at += STEP) {
    const start = begin + at * MINUTE;
    const local = partsOf(new Date(start), zone);
    const day = `${local.year}-${local.month}-${local.day}`;
    const [hour, minute] = [Number(local.hour), Number(local.minute)];
    const known = days.get(day) ?? { day, name: `${local.weekday} ${local.day}`, hours: new Map() };
    days.set(day, known);
    const counts = minutes.slice(at, at + STEP);
    // An hour that occurs twice, because of a clock change, is one cell.
    const { from = start } = known.hours.get(hour) ?? {};
    known.hours.set(hour, { from, to: start + counts.length * MINUTE });
    const key = `${day} ${hour}`;
    cells.hours.set(
      key,
      counts.reduce((sum, count) => sum + count, cells.hours.get(key) ?? 0),
    );
    const ofDay = cells.minutes.get(day) ?? emptyDay();
    cells.minutes.set(day, ofDay);
    for (const [offset, count] of counts.entries()) {
      const ofTheDay = hour * HOUR + minute + offset;
      ofDay[ofTheDay]! += count;
      cells.minutes.get('')![ofTheDay]! += count;
    }
  }
  cells.days = [...days.values()];
  return cells;
}

function emptyDay(): number[] {
  return new Array<number>(24 * HOUR).fill(0);
}

const LEVELS = 5;

/**
 * The level of a cell's colour, from 0 to 5, on a logarithmic scale: a burst may have a hundred times the usual number.
 */
export function levelOf(count: number, most: number): number {
  if (count === 0 || most === 0) return 0;
  return Math.max(1, Math.min(LEVELS, Math.ceil((Math.log1p(count) / Math.log1p(most)) * LEVELS)));
}
