import { bitFrom, bitUpTo, countBits, wideBitFrom, wideBitUpTo, wideCountBelow } from '../bits';

/** The times of day of a calendar: hours × minutes × seconds. A time is given as its second of the day. */
export interface Times {
  readonly secondsLow: number;
  readonly secondsHigh: number;
  readonly minutesLow: number;
  readonly minutesHigh: number;
  readonly hours: number;
}

function has(low: number, high: number, value: number): boolean {
  return value < 32 ? (low & (1 << value)) !== 0 : (high & (1 << (value - 32))) !== 0;
}

export function timeMatches(t: Times, time: number): boolean {
  const hour = (time / 3600) | 0;
  const minute = ((time - hour * 3600) / 60) | 0;
  return (
    (t.hours & (1 << hour)) !== 0 &&
    has(t.minutesLow, t.minutesHigh, minute) &&
    has(t.secondsLow, t.secondsHigh, time - hour * 3600 - minute * 60)
  );
}

/** The first time that is not before `time`; -1 when there is none on that day. */
export function timeFrom(t: Times, time: number): number {
  let hour = (time / 3600) | 0;
  let minute = ((time - hour * 3600) / 60) | 0;
  if ((t.hours & (1 << hour)) !== 0) {
    if (has(t.minutesLow, t.minutesHigh, minute)) {
      const second = wideBitFrom(t.secondsLow, t.secondsHigh, time - hour * 3600 - minute * 60);
      if (second >= 0) return hour * 3600 + minute * 60 + second;
    }
    minute = wideBitFrom(t.minutesLow, t.minutesHigh, minute + 1);
    if (minute >= 0) return withSecond(hour * 3600 + minute * 60, wideBitFrom(t.secondsLow, t.secondsHigh, 0));
  }
  hour = bitFrom(t.hours, hour + 1);
  if (hour < 0) return -1;
  minute = wideBitFrom(t.minutesLow, t.minutesHigh, 0);
  return minute < 0 ? -1 : withSecond(hour * 3600 + minute * 60, wideBitFrom(t.secondsLow, t.secondsHigh, 0));
}

/** The last time that is not after `time`; -1 when there is none on that day. */
export function timeUpTo(t: Times, time: number): number {
  let hour = (time / 3600) | 0;
  let minute = ((time - hour * 3600) / 60) | 0;
  if ((t.hours & (1 << hour)) !== 0) {
    if (has(t.minutesLow, t.minutesHigh, minute)) {
      const second = wideBitUpTo(t.secondsLow, t.secondsHigh, time - hour * 3600 - minute * 60);
      if (second >= 0) return hour * 3600 + minute * 60 + second;
    }
    minute = wideBitUpTo(t.minutesLow, t.minutesHigh, minute - 1);
    if (minute >= 0) return withSecond(hour * 3600 + minute * 60, wideBitUpTo(t.secondsLow, t.secondsHigh, 59));
  }
  hour = bitUpTo(t.hours, hour - 1);
  if (hour < 0) return -1;
  minute = wideBitUpTo(t.minutesLow, t.minutesHigh, 59);
  return minute < 0 ? -1 : withSecond(hour * 3600 + minute * 60, wideBitUpTo(t.secondsLow, t.secondsHigh, 59));
}

function withSecond(minute: number, second: number): number {
  return second < 0 ? -1 : minute + second;
}

export function firstTime(t: Times): number {
  return timeFrom(t, 0);
}

export function lastTime(t: Times): number {
  return timeUpTo(t, 86_399);
}

export function countTimes(t: Times): number {
  return countBits(t.hours) * wideCountBelow(t.minutesLow, t.minutesHigh, 60) * secondsCount(t);
}

function secondsCount(t: Times): number {
  return wideCountBelow(t.secondsLow, t.secondsHigh, 60);
}

/** The number of times before `time` (0..86,400). */
export function countTimesBefore(t: Times, time: number): number {
  const hour = (time / 3600) | 0;
  const minute = ((time - hour * 3600) / 60) | 0;
  const second = time - hour * 3600 - minute * 60;
  const seconds = secondsCount(t);
  let count = countBits(t.hours & ~(-1 << hour)) * wideCountBelow(t.minutesLow, t.minutesHigh, 60) * seconds;
  if ((t.hours & (1 << hour)) === 0) return count;
  count += wideCountBelow(t.minutesLow, t.minutesHigh, minute) * seconds;
  return has(t.minutesLow, t.minutesHigh, minute) ? count + wideCountBelow(t.secondsLow, t.secondsHigh, second) : count;
}
