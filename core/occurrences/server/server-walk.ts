import type { Calendar } from '../calendar/calendar';
import type { CalendarGroup } from '../calendar/calendar-group';
import { nextOf } from '../dst';
import { type Interval, nextOfInterval, previousOfInterval } from '../interval';
import { spend } from '../steps';
import type { Zone } from '../zones/zone';
import { hasDate, serverHour, serverNext } from './server-clock';

const STEPS_A_STAND = 4;
const STEPS_AN_HOUR = 40;

/** A range of time; `to` is exclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A range in which the server's times deviate from LITERAL. */
export interface Difference extends Stretch {
  readonly times: readonly number[];
}

export interface Walked {
  readonly zone: Zone;
  readonly calendars: readonly Calendar[];
  /** The intervals of the spec: the server also continues from their times. */
  readonly intervals: readonly Interval[];
  readonly literally: CalendarGroup;
}

/**
 * The deviations of the server from LITERAL in a window. The window is evaluated as the server does, from one nominal
 * time to the next. If the server follows LITERAL from every instant of an hour, the walk jumps to the last nominal
 * time of that hour.
 */
export function differencesIn({ from, to }: Stretch, walked: Walked): Difference[] {
  const { zone, intervals, literally } = walked;
  const calendars = walked.calendars.filter((calendar) => hasDate(calendar, from, to));
  if (calendars.length === 0) return [];
  const differences: Difference[] = [];
  // From every instant of a minute, the server gives the same next time until that time has come, so the answer is
  // kept until then. The same local minute may come again, with another offset.
  const answers = calendars.map(() => ({ minute: Number.NaN, offset: Number.NaN, found: Number.NaN }));
  let at = from - 1;
  let hour = serverHour(zone, at);
  let begun = from;
  let times: number[] = [];
  const end = (until: number) => {
    const difference = { from: begun, to: until, times };
    if (!isLiteral(difference, literally)) differences.push(difference);
    times = [];
  };
  for (;;) {
    if (hour.isLiteral) {
      spend(STEPS_AN_HOUR + calendars.length + intervals.length);
      if (begun <= at) end(at + 1);
      if (hour.to >= to) return differences;
      begun = hour.to;
      at = Math.max(at, literally.lastIn(at + 1, begun - 1));
      for (const interval of intervals) at = Math.max(at, previousOfInterval(interval, begun - 1));
    }
    spend(STEPS_A_STAND + calendars.length + intervals.length);
    const offset = zone.offset(at);
    const minute = Math.floor((at + offset) / 60);
    let next = Number.POSITIVE_INFINITY;
    for (let i = 0; i < calendars.length; i++) {
      const answer = answers[i]!;
      if (answer.minute !== minute || answer.offset !== offset || answer.found <= at) {
        const found = serverNext(calendars[i]!, zone, at, to);
        answer.minute = minute;
        answer.offset = offset;
        // If the answer is not later than `at`, the server itself would loop forever.
        answer.found = found <= at ? nextOf(calendars[i]!, zone, at + 1) : found;
      }
      if (answer.found < next) next = answer.found;
    }
    let stand = next;
    for (const interval of intervals) stand = Math.min(stand, nextOfInterval(interval, at + 1));
    if (stand >= to) {
      end(to);
      return differences;
    }
    if (stand === next) times.push(next);
    at = stand;
    if (at >= hour.to) hour = serverHour(zone, at);
  }
}

function isLiteral({ from, to, times }: Difference, literally: CalendarGroup): boolean {
  let at = from;
  for (const time of times) {
    if (literally.next(at) !== time) return false;
    at = time + 1;
  }
  return !(literally.next(at) < to);
}
