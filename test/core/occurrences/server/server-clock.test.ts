import { describe, expect, it } from 'vitest';
import { LAST_SECOND } from '../../../../core/occurrences/civil';
import { nextOf } from '../../../../core/occurrences/dst';
import { hasDate, serverHour, serverNext } from '../../../../core/occurrences/server/server-clock';
import { withinSteps } from '../../../../core/occurrences/steps';
import { zoneNamed } from '../../../../core/occurrences/zones/zones';
import { secondOf } from '../zones/clock';
import { answers, calendarOfCron } from './temporal-clock';

const FAR = Number.POSITIVE_INFINITY;
const HOUR = 3600;
const zone = (name: string) => zoneNamed(name, 'zone');

/** The server's answer; a search without an end is refused. */
function next(cron: string, name: string, after: number, horizon = FAR): number {
  return withinSteps('spec', () => serverNext(calendarOfCron(cron), zone(name), after, horizon));
}

describe('the server’s answer around a clock change', () => {
  it('has facts of the server to compare with', () => expect(answers.length).toBeGreaterThan(50));
  it.each(answers.map((row) => [row.cron, row.zone, row.change, row] as const))(
    'to %s in %s at %s',
    (...[, , , row]) => {
      const start = secondOf(row.change);
      row.answers.forEach(([after, answer], i) => {
        const until = (row.answers[i + 1]?.[0] ?? row.to + 1) - 1;
        const asked = [after, Math.floor((after + until) / 2), until];
        expect(asked.map((second) => [second, next(row.cron, row.zone, start + second) - start])).toEqual(
          asked.map((second) => [second, answer]),
        );
      });
    },
  );
});

describe('the server’s answer', () => {
  it.each([
    ['is a day of the month', '0 0 12 31 * * *', '2026-03-31T10:00:00Z', '2026-05-31T10:00:00Z'],
    ['is in a month', '0 0 12 1 6 * *', '2026-06-01T10:00:00Z', '2027-06-01T10:00:00Z'],
    ['is in the last month', '0 0 12 * 12 * *', '2026-02-01T00:00:00Z', '2026-12-01T11:00:00Z'],
    ['is a leap day', '0 0 12 29 2 * *', '2024-02-29T11:00:00Z', '2028-02-29T11:00:00Z'],
    ['is in a year', '0 0 12 1 1 * 2030', '2026-01-01T00:00:00Z', '2030-01-01T11:00:00Z'],
    ['is in the first of the years', '0 0 12 1 1 * 2030,2027', '2026-01-01T00:00:00Z', '2027-01-01T11:00:00Z'],
    ['is in the last year', '0 0 12 1 1 * 2100', '2099-06-01T00:00:00Z', '2100-01-01T11:00:00Z'],
    ['is the new year of the clock', '0 0 0 1 1 * *', '2026-12-31T12:00:00Z', '2026-12-31T23:00:00Z'],
    [
      'has both a day of the month and one of the week',
      '0 0 12 13 * 5 *',
      '2026-03-14T00:00:00Z',
      '2026-11-13T11:00:00Z',
    ],
    ['is the end of the last minute of a day', '59 59 23 * * * *', '2026-01-01T22:59:58Z', '2026-01-01T22:59:59Z'],
    ['is not the instant itself', '59 59 23 * * * *', '2026-01-01T22:59:59Z', '2026-01-02T22:59:59Z'],
  ])('%s: %s', (_, cron, after, answer) => {
    expect(next(cron, 'Europe/Berlin', secondOf(after))).toBe(secondOf(answer));
  });

  it.each([
    ['its years are over', '0 0 12 1 1 * 2030', '2030-01-01T11:00:00Z'],
    ['no month has the day', '0 0 12 30 2 * *', '2100-01-01T00:00:00Z'],
    ['the year 2100 is over by then, on the clock of the zone', '0 0 12 1 1 * *', '2100-12-31T12:00:00Z'],
    ['it has no hour, since 2:30 of that day is missing', '0 30 2 29 3 * 2026', '2026-01-01T00:00:00Z'],
  ])('is none if %s', (_, cron, after) => {
    expect(next(cron, 'Europe/Berlin', secondOf(after))).toBe(FAR);
  });

  it.each([
    ['2026-03-12T23:59:59Z', FAR],
    ['2026-03-13T00:00:00Z', secondOf('2026-03-15T11:00:00Z')],
    ['2026-03-16T00:00:00Z', secondOf('2026-03-15T11:00:00Z')],
  ])('is not looked for on days beyond the second after the horizon %s', (horizon, answer) => {
    expect(next('0 0 12 15 * * *', 'Europe/Berlin', secondOf('2026-03-01T00:00:00Z'), secondOf(horizon))).toBe(answer);
  });

  it('is not looked for after the year 2100, however far the horizon', () => {
    const after = secondOf('2100-12-30T12:00:00Z');
    expect(next('0 0 12 15 * * *', 'Europe/Berlin', after)).toBe(FAR);
    expect(next('0 0 12 31 12 * *', 'Europe/Berlin', after, LAST_SECOND + 1_000_000)).toBe(
      secondOf('2100-12-31T11:00:00Z'),
    );
  });
});

describe('an hour of the clock', () => {
  it.each<[string, [at: string, to: string, isLiteral: boolean][]]>([
    [
      'Europe/Berlin',
      [
        // The clock goes forward at 01:00Z.
        ['2026-03-28T23:00:00Z', '2026-03-29T00:00:00Z', true],
        ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', true],
        ['2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z', true],
        // The clock goes back at 01:00Z: the server has only the second of the two hours, and that from before.
        ['2026-10-24T23:30:00Z', '2026-10-25T00:00:00Z', true],
        ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', false],
        ['2026-10-25T01:59:59Z', '2026-10-25T02:00:00Z', false],
        ['2026-10-25T02:00:00Z', '2026-10-25T03:00:00Z', true],
        ['2026-07-01T12:34:56Z', '2026-07-01T13:00:00Z', true],
      ],
    ],
    [
      'America/New_York',
      [
        ['2026-03-08T06:00:00Z', '2026-03-08T07:00:00Z', true],
        ['2026-03-08T07:00:00Z', '2026-03-08T08:00:00Z', true],
        ['2026-11-01T05:30:00Z', '2026-11-01T06:00:00Z', true],
        ['2026-11-01T06:30:00Z', '2026-11-01T07:00:00Z', true],
      ],
    ],
    [
      'Europe/London',
      [
        ['2026-10-24T23:30:00Z', '2026-10-25T00:00:00Z', true],
        ['2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z', false],
        ['2026-10-25T01:30:00Z', '2026-10-25T02:00:00Z', false],
        ['2026-10-25T02:30:00Z', '2026-10-25T03:00:00Z', true],
      ],
    ],
    [
      'Australia/Lord_Howe',
      [
        // 02:00+11 becomes 01:30+10:30.
        ['2023-04-01T13:10:00Z', '2023-04-01T14:00:00Z', true],
        ['2023-04-01T14:10:00Z', '2023-04-01T15:00:00Z', false],
        ['2023-04-01T15:00:00Z', '2023-04-01T15:30:00Z', false],
        ['2023-04-01T15:30:00Z', '2023-04-01T16:30:00Z', false],
        ['2023-04-01T16:30:00Z', '2023-04-01T17:30:00Z', true],
      ],
    ],
    [
      'America/St_Johns',
      [
        // 00:01-03:30 becomes 01:01-02:30.
        ['2007-03-11T03:30:00Z', '2007-03-11T03:31:00Z', false],
        ['2007-03-11T03:31:00Z', '2007-03-11T04:30:00Z', false],
        // The hour before, at 03:30Z, has two offsets, and so has the hour of UTC with the numbers of the clock.
        ['2007-03-11T04:30:00Z', '2007-03-11T05:30:00Z', false],
        ['2007-03-11T05:30:00Z', '2007-03-11T06:30:00Z', false],
        ['2007-03-11T06:30:00Z', '2007-03-11T07:30:00Z', true],
      ],
    ],
    ['Asia/Kathmandu', [['2026-01-01T00:00:00Z', '2026-01-01T00:15:00Z', true]]],
  ])('in %s ends with the hour or its offset, and is literal or not', (name, hours) => {
    const found = hours.map(([at]) => {
      const { to, isLiteral } = serverHour(zone(name), secondOf(at));
      return [at, new Date(to * 1000).toISOString().replace('.000', ''), isLiteral];
    });
    expect(found).toEqual(hours);
  });

  const changes = [...new Map(answers.map((row) => [row.zone + row.change, row] as const)).values()];
  it.each(changes.map((row) => [row.zone, row.change] as const))(
    'is literal only if the server’s answers in it are, in %s at %s',
    (name, change) => {
      const calendar = calendarOfCron('20 */13 * * * * *');
      const wrong: unknown[] = [];
      const start = secondOf(change);
      for (let at = start - 8 * HOUR; at < start + 8 * HOUR; ) {
        const { to, isLiteral } = serverHour(zone(name), at);
        expect(to).toBeGreaterThan(at);
        expect(to - at).toBeLessThanOrEqual(HOUR);
        for (let asked = at; isLiteral && asked < to; asked += 233) {
          const literal = Math.min(nextOf(calendar, zone(name), asked + 1), to);
          const answer = Math.min(serverNext(calendar, zone(name), asked, FAR), to);
          // Before a missing day, the server would loop forever.
          if (literal !== answer && answer > asked)
            wrong.push({ asked: asked - start, literal: literal - start, answer: answer - start });
        }
        at = to;
      }
      expect(wrong).toEqual([]);
    },
  );
});

describe('a calendar of 15 March 2026', () => {
  const day = (date: string) => secondOf(`${date}T00:00:00Z`);
  it.each([
    ['the day itself', '2026-03-15', '2026-03-15', true],
    ['a long time around it', '2026-01-01', '2026-12-31', true],
    ['two days before', '2026-03-01', '2026-03-13', true],
    ['three days before', '2026-03-01', '2026-03-12', false],
    ['two days after', '2026-03-17', '2026-03-30', true],
    ['three days after', '2026-03-18', '2026-03-30', false],
    ['the 15th of another month', '2026-04-15', '2026-04-15', false],
    ['the day of another year', '2027-03-15', '2027-03-15', false],
  ])('has a date within two days of a stretch or not: %s', (_, from, to, has) => {
    expect(hasDate(calendarOfCron('0 0 0 15 3 * 2026'), day(from), day(to))).toBe(has);
    expect(hasDate(calendarOfCron('0 0 0 15 3 * 2026'), day(from) + 86_399, day(to) + 86_399)).toBe(has);
  });
  it('has its date whatever the day of the week', () => {
    expect(hasDate(calendarOfCron('0 0 0 15 3 1 2026'), day('2026-03-15'), day('2026-03-15'))).toBe(true);
  });
});
