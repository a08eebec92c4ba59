import { describe, expect, it } from 'vitest';
import { CalendarGroup } from '../../../../core/occurrences/calendar/calendar-group';
import { nextOf } from '../../../../core/occurrences/dst';
import { type Interval, intervalFrom } from '../../../../core/occurrences/interval';
import { type Difference, differencesIn } from '../../../../core/occurrences/server/server-walk';
import { stepsOf } from '../../../../core/occurrences/steps';
import { zoneNamed } from '../../../../core/occurrences/zones/zones';
import { secondOf } from '../zones/clock';
import { calendarOfCron, walks } from './temporal-clock';

const HOUR = 3600;
const AUTUMN = secondOf('2026-10-25T01:00:00Z');
const SPRING = secondOf('2026-03-29T01:00:00Z');

interface Walked {
  zone?: string;
  crons: readonly string[];
  intervals?: readonly Interval[];
  from: number;
  to: number;
}

function walker({ zone: name = 'Europe/Berlin', crons, intervals = [], from, to }: Walked): () => Difference[] {
  const zone = zoneNamed(name, 'zone');
  const calendars = crons.map(calendarOfCron);
  return () =>
    differencesIn({ from, to }, { zone, calendars, intervals, literally: new CalendarGroup(calendars, zone) });
}
const walk = (walked: Walked) => walker(walked)();

/** What LITERAL has in a stretch. */
function literal(
  { zone: name = 'Europe/Berlin', crons }: Walked,
  { from, to }: { from: number; to: number },
): number[] {
  const times = new Set<number>();
  for (const calendar of crons.map(calendarOfCron)) {
    const zone = zoneNamed(name, 'zone');
    for (let at = nextOf(calendar, zone, from); at < to; at = nextOf(calendar, zone, at + 1)) times.add(at);
  }
  return [...times].sort((one, other) => one - other);
}

describe('the deviations of the server in a stretch around a clock change', () => {
  const around = (change: number) => ({ from: change - 4 * HOUR, to: change + 4 * HOUR });
  it.each([
    ['of a time that comes twice, only the second', '0 30 2 * * * *', [30]],
    ['from a time in the second hour, an hour late', '0 10,50 2 * * * *', [10, 110]],
    ['only the first, if the server is in the first hour already', '0 30 * * * * *', [-30, 90]],
    ['a time of the hour before, once more', '0 30 1 * * * *', [-30]],
    ['nothing of the hour after', '0 0 3 * * * *', []],
    ['nothing of another day', '0 30 2 26 10 * *', []],
    ['nothing of another month', '0 30 2 * 6 * *', []],
  ])('have, in minutes after the clock goes back, %s', (_, cron, expected) => {
    const found = walk({ crons: [cron], ...around(AUTUMN) });
    expect(found.flatMap(({ times }) => times.map((second) => (second - AUTUMN) / 60))).toEqual(expected);
    expect(found).toHaveLength(expected.length === 0 ? 0 : 1);
  });
  it.each(['0 30 2 * * * *', '0 30 * * * * *', '* * * * * * *'])('are none where it goes forward: %s', (cron) => {
    expect(walk({ crons: [cron], ...around(SPRING) })).toEqual([]);
  });
  it('are none in New York', () => {
    for (const change of [secondOf('2026-03-08T07:00:00Z'), secondOf('2026-11-01T06:00:00Z')]) {
      expect(walk({ zone: 'America/New_York', crons: ['0 */7 * * * * *'], ...around(change) })).toEqual([]);
    }
  });
  it('are not those of another calendar, whose dates are far', () => {
    const found = walk({ crons: ['0 30 2 * 6 * *', '0 30 2 * * * *'], ...around(AUTUMN) });
    expect(found).toEqual(walk({ crons: ['0 30 2 * * * *'], ...around(AUTUMN) }));
  });
  it('end with the stretch, whose end is not part of it', () => {
    const cron = '0 30 2 * * * *';
    const to = AUTUMN + 30 * 60;
    // The first 02:30 is missing; the second is at the end.
    expect(walk({ crons: [cron], from: AUTUMN - 4 * HOUR, to })).toMatchObject([{ to, times: [] }]);
    expect(walk({ crons: [cron], from: AUTUMN - 4 * HOUR, to: to + 1 })).toMatchObject([{ to: to + 1, times: [to] }]);
  });
  it('are none if LITERAL has a time only at the end of the stretch', () => {
    expect(walk({ crons: ['0 30 2 * * * *'], from: AUTUMN - 4 * HOUR, to: AUTUMN - 30 * 60 })).toEqual([]);
    expect(walk({ crons: ['0 30 2 * * * *'], from: AUTUMN - 4 * HOUR, to: AUTUMN - 30 * 60 + 1 })).toHaveLength(1);
  });

  const named = walks.map((row) => [row.crons.join(' and '), row.zone, row.change, row] as const);
  it.each(named)('are in order, and deviate: %s in %s at %s', (...[, , , row]) => {
    const start = secondOf(row.change);
    const walked: Walked = {
      zone: row.zone,
      crons: row.crons,
      intervals: (row.every ?? []).map(([every, offset]) => intervalFrom(every, offset)),
      from: start + row.from + 1,
      to: start + row.to + 1,
    };
    const found = walk(walked);
    let end = walked.from;
    for (const difference of found) {
      expect(difference.from).toBeGreaterThanOrEqual(end);
      expect(difference.to).toBeGreaterThan(difference.from);
      expect(difference.times).not.toEqual(literal(walked, difference));
      end = difference.to;
    }
    expect(end).toBeLessThanOrEqual(walked.to);
    // The server has the times of the deviations, and outside of them those of LITERAL.
    const isIn = (second: number) => found.some(({ from, to }) => from <= second && second < to);
    const times = [...literal(walked, walked).filter((second) => !isIn(second)), ...found.flatMap((one) => one.times)];
    const ofIntervals = (second: number) =>
      walked.intervals!.some(({ every, phase }) => (second - phase) % every === 0) && !times.includes(second);
    expect(times.sort((one, other) => one - other)).toEqual(
      row.times.map((second) => start + second).filter((second) => !ofIntervals(second)),
    );
  });
});

describe('a walk takes few steps', () => {
  const eachSecond = '* * * * * * *';
  const interval = [{ every: 1, phase: 0 }];
  it('where the server is literal: an hour at once', () => {
    const hours = { crons: [eachSecond], from: SPRING - 10 * HOUR, to: SPRING + 10 * HOUR };
    expect(stepsOf(walker(hours))).toBeLessThan(20 * 200);
  });
  it('where it is not: it asks for a time of the calendar once a minute, and not at each time of an interval', () => {
    const seconds = { from: AUTUMN - HOUR, to: AUTUMN + HOUR };
    const steps = stepsOf(walker({ crons: ['0 0 12 * * * *'], intervals: interval, ...seconds }));
    // Six for each second, and some for each minute.
    expect(steps).toBeGreaterThan(7_200 * 6);
    expect(steps).toBeLessThan(7_200 * 7);
  });
  it('if no calendar has a date near', () => {
    const far = { crons: ['0 30 2 * 6 * *'], from: AUTUMN - HOUR, to: AUTUMN + HOUR };
    expect(stepsOf(walker({ ...far, intervals: interval }))).toBeLessThan(100);
    const near = { ...far, crons: ['0 30 2 * * * *'], intervals: interval };
    const both = { ...near, crons: [...far.crons, ...near.crons] };
    expect(stepsOf(walker(both)) - stepsOf(walker(near))).toBeLessThan(200);
  });
  it.each([
    ['each second where the server is not literal', AUTUMN - HOUR, AUTUMN + HOUR, 7_200],
    ['each hour where it is, and the time at its end', SPRING - 5 * HOUR, SPRING + 5 * HOUR, 20],
  ])('and more, the more calendars and intervals there are: for %s', (_, from, to, stands) => {
    const steps = (calendars: number, intervals: number) =>
      stepsOf(
        walker({
          crons: Array.from({ length: calendars }, () => '0 0 12 * * * *'),
          intervals: Array.from({ length: intervals }, () => ({ every: 1, phase: 0 })),
          from,
          to,
        }),
      );
    expect(steps(1, 11) - steps(1, 1)).toBeGreaterThanOrEqual(10 * stands);
    expect(steps(11, 1) - steps(1, 1)).toBeGreaterThanOrEqual(10 * stands);
  });
});
