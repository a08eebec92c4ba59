import { describe, expect, it } from 'vitest';
import { calendarOf, range } from '../../../../core/occurrences/calendar/calendar-of';
import {
  countTimes,
  countTimesBefore,
  firstTime,
  lastTime,
  type Times,
  timeFrom,
  timeMatches,
  timeUpTo,
} from '../../../../core/occurrences/calendar/time-of-day';

interface Fields {
  hour: readonly number[];
  minute: readonly number[];
  second: readonly number[];
}

function timesOf(fields: Fields): Times {
  return calendarOf({ ...fields, dayOfMonth: [], month: [], dayOfWeek: [] });
}

/** A time such as `09:30` or `09:30:15` as its second of the day; `24:00` is the end of the day. */
function at(time: string): number {
  const [hour, minute, second = 0] = time.split(':').map(Number);
  return hour! * 3600 + minute! * 60 + second;
}

/** 09:30:15, 09:30:45, 09:50:15, 09:50:45 and the same at 17. */
const OFFICE = timesOf({ hour: [9, 17], minute: [30, 50], second: [15, 45] });
const SPARSE: [what: string, fields: Fields][] = [
  ['midnight', { hour: [0], minute: [0], second: [0] }],
  ['the last second', { hour: [23], minute: [59], second: [59] }],
  ['some hours and minutes', { hour: [9, 17], minute: [30, 50], second: [15, 45] }],
  ['the edges of the words', { hour: [0, 11, 23], minute: [0, 31, 32, 59], second: [0, 31, 32, 59] }],
  ['low values alone', { hour: range(0, 23, 5), minute: range(0, 31, 7), second: [3, 30] }],
  ['high values alone', { hour: [1, 22, 23], minute: [32, 40, 58], second: [33, 59] }],
];

describe('the times of a day', () => {
  it.each([
    ['long before the first', '00:00', '09:30:15', -1],
    ['just before a time', '09:30:14', '09:30:15', -1],
    ['at a time', '09:30:15', '09:30:15', '09:30:15'],
    ['between two seconds', '09:30:16', '09:30:45', '09:30:15'],
    ['at the last second of a minute', '09:30:45', '09:30:45', '09:30:45'],
    ['after the last second of a minute', '09:30:46', '09:50:15', '09:30:45'],
    ['between two minutes', '09:40', '09:50:15', '09:30:45'],
    ['before the first minute of an hour', '17:10:59', '17:30:15', '09:50:45'],
    ['after the last minute of an hour', '09:50:46', '17:30:15', '09:50:45'],
    ['between two hours', '12:00', '17:30:15', '09:50:45'],
    ['at the last time', '17:50:45', '17:50:45', '17:50:45'],
    ['after the last time', '17:50:46', -1, '17:50:45'],
    ['at the end of the day', '23:59:59', -1, '17:50:45'],
  ])('are searched from a time on, and back from it: %s', (_, time, next, previous) => {
    expect(timeFrom(OFFICE, at(time))).toBe(typeof next === 'string' ? at(next) : next);
    expect(timeUpTo(OFFICE, at(time))).toBe(typeof previous === 'string' ? at(previous) : previous);
    expect(timeMatches(OFFICE, at(time))).toBe(time === next);
  });

  it.each([
    ['00:00', 0],
    ['09:30:15', 0],
    ['09:30:16', 1],
    ['09:30:45', 1],
    ['09:30:46', 2],
    ['09:40', 2],
    ['09:50:16', 3],
    ['10:00', 4],
    ['17:00', 4],
    ['17:30:16', 5],
    ['17:50:46', 8],
    ['23:59:59', 8],
    ['24:00', 8],
  ])('are counted before a time, which is not counted itself: %s', (time, count) => {
    expect(countTimesBefore(OFFICE, at(time))).toBe(count);
  });

  it('have a first, a last and a number', () => {
    expect([firstTime(OFFICE), lastTime(OFFICE), countTimes(OFFICE)]).toEqual([at('09:30:15'), at('17:50:45'), 8]);
    const every = timesOf({ hour: range(0, 23), minute: range(0, 59), second: range(0, 59) });
    expect([firstTime(every), lastTime(every), countTimes(every)]).toEqual([0, 86_399, 86_400]);
  });

  it.each(SPARSE)('are found from each second of the day as by a naive walk: %s', (_, fields) => {
    const times = timesOf(fields);
    const all = fields.hour.flatMap((hour) =>
      fields.minute.flatMap((minute) => fields.second.map((second) => hour * 3600 + minute * 60 + second)),
    );
    const wrong: string[] = [];
    // How many times lie before the second.
    let before = 0;
    for (let second = 0; second < 86_400; second++) {
      const isTime = all[before] === second;
      const previous = isTime ? second : (all[before - 1] ?? -1);
      if (timeMatches(times, second) !== isTime) wrong.push(`match at ${second}`);
      if (timeFrom(times, second) !== (all[before] ?? -1)) wrong.push(`next from ${second}`);
      if (timeUpTo(times, second) !== previous) wrong.push(`previous up to ${second}`);
      if (countTimesBefore(times, second) !== before) wrong.push(`count before ${second}`);
      if (isTime) before++;
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(before).toBe(all.length);
    expect([countTimes(times), countTimesBefore(times, 86_400)]).toEqual([all.length, all.length]);
  });

  it.each([
    ['hours', { hour: [], minute: [0, 30], second: [0, 30] }],
    ['minutes', { hour: [0, 9], minute: [], second: [0, 30] }],
    ['seconds', { hour: [0, 9], minute: [0, 30], second: [] }],
  ])('are none without %s', (_, fields) => {
    const times = timesOf(fields);
    for (const second of [0, 1, 1800, 9 * 3600, 9 * 3600 + 1800, 10 * 3600, 86_399]) {
      expect([timeFrom(times, second), timeUpTo(times, second)]).toEqual([-1, -1]);
      expect(timeMatches(times, second)).toBe(false);
      expect(countTimesBefore(times, second)).toBe(0);
    }
    expect([firstTime(times), lastTime(times), countTimes(times)]).toEqual([-1, -1, 0]);
  });
});
