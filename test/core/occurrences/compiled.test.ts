import { describe, expect, it } from 'vitest';
import { type CompiledSpec, compileSpec, jitterOf, withinSteps } from '../../../core/occurrences';
import { stepsOf } from '../../../core/occurrences/steps';
import type { ScheduleSpec } from '../../../core/schedule/spec';
import { wallSecond } from './reference';

const EVERY_SECOND = { second: '*', minute: '*', hour: '*' } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const msOf = (time: string) => Date.parse(`${time}Z`);
const timeOf = (time: number | undefined) => (time === undefined ? 'none' : new Date(time).toISOString().slice(0, 19));

describe('the next, the last and the number of occurrences', () => {
  const twice = compileSpec({ at: [new Date(10_000), new Date(12_000)] });

  it.each([
    [9_999, 10_000],
    [10_000, 12_000],
    [10_001, 12_000],
    [11_999, 12_000],
    [12_000, undefined],
  ])('the next after %i ms is %s: the instant itself does not count', (after, next) => {
    expect(twice.next(after)).toBe(next);
  });

  it.each([
    [12_001, 12_000],
    [12_000, 10_000],
    [11_999, 10_000],
    [10_001, 10_000],
    [10_000, undefined],
  ])('the last before %i ms is %s: the instant itself does not count', (before, last) => {
    expect(twice.previous(before)).toBe(last);
  });

  it.each([
    [9_999, 12_000, 2],
    [10_000, 12_000, 1],
    [9_999, 11_999, 1],
    [9_999, 10_000, 1],
    [10_000, 11_999, 0],
    [9_999, 9_999, 0],
    [10_001, 10_500, 0],
    [12_000, 20_000, 0],
    [12_000, 9_000, 0],
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 2],
  ])('after %s ms through %s ms there are %i', (after, through, count) => {
    expect(twice.count(after, through)).toBe(count);
  });

  it('are none beyond a last or before a first one that is skipped', () => {
    const at = [new Date(10_000), new Date(12_000)];
    const bounds = { startAt: at[0]!, endAt: at[1]! };
    const without = (second: number) => compileSpec({ at, skip: [{ hour: '*', minute: '*', second }], ...bounds });
    expect([without(12).next(10_000), without(10).next(0)]).toEqual([undefined, 12_000]);
    expect([without(10).previous(12_000), without(12).previous(20_000)]).toEqual([undefined, 10_000]);
  });

  it('lie between the start and the end of the spec, whatever is asked', () => {
    const [startAt, endAt] = [new Date(5_000), new Date(7_000)];
    const compiled = compileSpec({ intervals: [{ every: '1s' }], startAt, endAt });
    expect([compiled.next(0), compiled.next(6_999), compiled.next(7_000)]).toEqual([5_000, 7_000, undefined]);
    expect([compiled.previous(9_000), compiled.previous(5_001), compiled.previous(5_000)]).toEqual([
      7_000,
      5_000,
      undefined,
    ]);
    expect([compiled.count(0, 9_000), compiled.count(5_000, 6_000), compiled.count(7_000, 9_000)]).toEqual([3, 1, 0]);
  });
});

describe('the start of a firing', () => {
  const [nominal, hour] = [msOf('2026-01-01T00:00:00'), 3_600];
  it.each<[what: string, spec: ScheduleSpec, following: number]>([
    ['is before the next nominal time', { intervals: [{ every: '10s' }], jitter: '1h' }, 10],
    ['is less than the jitter late', { intervals: [{ every: '2h' }], jitter: '1h' }, 2 * hour],
    [
      'is before the next time that is skipped',
      { cron: '* * * * *', skip: [{ minute: 1, hour: '*' }], jitter: '1h' },
      60,
    ],
    ['has all of the jitter after the last time', { at: new Date(nominal), jitter: '1h' }, Number.NaN],
  ])('%s', (_, spec, following) => {
    const second = nominal / 1000;
    const delay = jitterOf(second, second + following, 3_600_000, 'nightly');
    expect(delay).toBeGreaterThan(0);
    expect(compileSpec(spec, { scheduleId: 'nightly' }).startTime(nominal)).toBe(nominal + delay);
  });

  it('without jitter is the nominal time, and takes no step', () => {
    for (const spec of [{ cron: '* * * * *' }, { cron: '* * * * *', jitter: 0 }]) {
      const compiled = compileSpec(spec);
      expect(stepsOf(() => expect(compiled.startTime(nominal)).toBe(nominal))).toBe(0);
    }
  });
});

describe('an evaluation that takes too long', () => {
  const everyHour = { every: '1h' } as const;
  const questions: [name: string, ask: (compiled: CompiledSpec) => unknown][] = [
    ['the next occurrence', (compiled) => compiled.next(0)],
    ['the last occurrence', (compiled) => compiled.previous(DAY)],
    ['the number of occurrences', (compiled) => compiled.count(0, DAY)],
    ['the start of a firing', (compiled) => compiled.startTime(0)],
  ];
  it.each<[path: string, spec: ScheduleSpec]>([
    ['spec.skip', { intervals: [everyHour, { every: '7h' }, { every: '5h' }], skip: [{}] }],
    ['spec.skip', { cron: '0 * * * *', skip: [{}] }],
    ['spec.intervals', { intervals: [{ every: '2h' }, { every: '3h' }] }],
    ['spec', { intervals: [everyHour] }],
    ['spec', { cron: '0 * * * *' }],
  ])('names the probable cause %s for %j', (path, spec) => {
    const compiled = compileSpec({ ...spec, jitter: 1_000 });
    for (const [, ask] of questions) {
      expect(() => withinSteps('outside', () => ask(compiled), { left: 0 })).toThrow(
        expect.objectContaining({ path, problem: expect.stringContaining('takes too long to evaluate') }),
      );
    }
  });
});

/** What is skipped, as the fields of the local time that `isSkipped` looks at: day of the month, hour, minute, second. */
type Skip = [
  skip: ScheduleSpec['skip'],
  isSkipped: (day: number, hour: number, minute: number, second: number) => boolean,
];

const ALL_BUT_A_MINUTE: Skip = [[{ ...EVERY_SECOND, minute: { start: 0, end: 58 } }], (_d, _h, minute) => minute < 59];
const MORNING: Skip = [[{ ...EVERY_SECOND, hour: { start: 1, end: 3 } }], (_d, hour) => hour >= 1 && hour <= 3];
const NIGHT_OF_ALL_BUT_ONE_SECOND: Skip = [
  [{ ...EVERY_SECOND, hour: [0, 1, 2, 3], second: { start: 1, end: 59 } }],
  (_d, hour, _m, second) => hour < 4 && second > 0,
];
const DAYS: Skip = [[{ ...EVERY_SECOND, dayOfMonth: [25, 29] }], (day) => day === 25 || day === 29];

const PARTS: [name: string, spec: ScheduleSpec][] = [
  ['spec.cron', { cron: '*/15 * * * * *' }],
  ['cronExpressions', { cronExpressions: ['*/15 * * * * * *'] }],
  ['an interval', { intervals: [{ every: '25s' }] }],
  [
    'all of them',
    { cron: '5 * * * * *', calendars: [{ ...EVERY_SECOND, second: [3, 30] }], intervals: [{ every: '45s' }] },
  ],
];

describe.each(PARTS)('what skip leaves of %s', (_, spec) => {
  it.each<[zone: string, middle: string, name: string, skip: Skip]>([
    ['UTC', '2026-03-29T01:00', 'all but a minute of each hour', ALL_BUT_A_MINUTE],
    ['Europe/Berlin', '2026-03-29T01:00', 'all but a minute of each hour', ALL_BUT_A_MINUTE],
    ['Europe/Berlin', '2026-10-25T01:00', 'all but a minute of each hour', ALL_BUT_A_MINUTE],
    ['Europe/Berlin', '2026-10-25T01:00', 'the morning', MORNING],
    ['Europe/Berlin', '2026-03-29T01:00', 'the morning', MORNING],
    ['Europe/Berlin', '2026-03-29T01:00', 'seconds of the night', NIGHT_OF_ALL_BUT_ONE_SECOND],
    ['Europe/Berlin', '2026-10-25T01:00', 'seconds of the night', NIGHT_OF_ALL_BUT_ONE_SECOND],
    ['Europe/Berlin', '2026-10-25T01:00', 'days', DAYS],
    ['America/New_York', '2026-11-01T06:00', 'the morning', MORNING],
  ])('in %s around %s is told by the clock on the wall: without %s', (timezone, middle, _name, [skip, isSkipped]) => {
    const [from, to] = [msOf(middle) - 4 * HOUR, msOf(middle) + 4 * HOUR];
    const [before, after] = [from, msOf(middle)].map((at) => wallSecond(timezone, at / 1000) * 1000 - at);
    const shiftAt = (at: number) => (at < msOf(middle) ? before! : after!);
    const plain = compileSpec({ ...spec, timezone });
    const expected: number[] = [];
    for (let at = plain.next(from - 1); at !== undefined && at <= to; at = plain.next(at)) {
      const wall = new Date(at + shiftAt(at));
      const shown = [wall.getUTCDate(), wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds()] as const;
      if (!isSkipped(...shown)) expected.push(at);
    }
    const compiled = compileSpec({ ...spec, timezone, skip, startAt: new Date(from), endAt: new Date(to) });
    const asked = Array.from({ length: 17 }, (_, index) => from + index * 30 * MINUTE);
    const answers = (ask: (at: number) => number | undefined) => asked.map((at) => [timeOf(at), ask(at)]);
    expect(answers((at) => compiled.next(at))).toEqual(answers((at) => expected.find((time) => time > at)));
    expect(answers((at) => compiled.previous(at))).toEqual(answers((at) => expected.findLast((time) => time < at)));
    for (const after of [from - 1, msOf(middle) - HOUR, msOf(middle) + HOUR / 2]) {
      const inside = (at: number) => expected.filter((time) => time > after && time <= at).length;
      expect(answers((at) => compiled.count(after, at))).toEqual(answers(inside));
    }
  });
});

describe('a long time that is skipped', () => {
  const years = { ...EVERY_SECOND, year: { start: 2026, end: 2029 } };
  const of = (skip: ScheduleSpec['skip'], more: ScheduleSpec = {}) =>
    compileSpec({ cron: '* * * * * *', skip, ...more });

  it.each<[what: string, skip: ScheduleSpec['skip'], last: string, next: string]>([
    ['49 seconds', [{ minute: 0, hour: 12, second: { start: 1, end: 49 } }], 'T12:00:00', 'T12:00:50'],
    ['50 seconds', [{ minute: 0, hour: 12, second: { start: 1, end: 50 } }], 'T12:00:00', 'T12:00:51'],
    ['51 seconds', [{ minute: 0, hour: 12, second: { start: 1, end: 51 } }], 'T12:00:00', 'T12:00:52'],
    ['52 seconds', [{ minute: 0, hour: 12, second: { start: 1, end: 52 } }], 'T12:00:00', 'T12:00:53'],
    ['an hour', [{ ...EVERY_SECOND, hour: 12 }], 'T11:59:59', 'T13:00:00'],
    ['two hours', [{ ...EVERY_SECOND, hour: [12, 13] }], 'T11:59:59', 'T14:00:00'],
  ])('of %s is passed over in both directions', (_, skip, last, next) => {
    const day = '2026-05-05';
    const compiled = of(skip);
    const inside = [msOf(day + last), (msOf(day + last) + msOf(day + next)) / 2, msOf(day + next) - 1];
    for (const at of inside) expect(timeOf(compiled.next(at))).toBe(day + next);
    for (const at of [...inside.slice(1), msOf(day + next)]) expect(timeOf(compiled.previous(at))).toBe(day + last);
  });

  it.each<[zone: string, last: string, next: string]>([
    ['UTC', '2025-12-31T23:59:59', '2030-01-01T00:00:00'],
    ['Europe/Berlin', '2025-12-31T22:59:59', '2029-12-31T23:00:00'],
  ])('of four years in %s is passed over in both directions', (timezone, last, next) => {
    const compiled = of([years], { timezone });
    for (const at of [msOf(last), msOf('2026-03-01T00:00:00'), msOf('2029-10-01T00:00:00'), msOf(next) - 1]) {
      expect(timeOf(compiled.next(at))).toBe(next);
      if (at !== msOf(last)) expect(timeOf(compiled.previous(at))).toBe(last);
    }
  });

  it('may end with the last second of the spec', () => {
    const end = (time: string) => of([years], { endAt: new Date(msOf(time)) });
    for (const at of ['2025-12-31T23:59:59', '2027-07-01T00:00:00', '2029-12-31T23:30:00']) {
      expect(timeOf(end('2030-01-01T00:00:00').next(msOf(at)))).toBe('2030-01-01T00:00:00');
      expect(timeOf(end('2029-12-31T23:59:59').next(msOf(at)))).toBe('none');
    }
  });

  it('may begin with the first second of the spec', () => {
    const start = (time: string) => of([years], { startAt: new Date(msOf(time)) });
    for (const at of ['2030-01-01T00:00:00', '2027-07-01T00:00:00', '2026-01-01T20:00:00', '2026-01-01T00:30:00']) {
      expect(timeOf(start('2025-12-31T23:59:59').previous(msOf(at)))).toBe('2025-12-31T23:59:59');
      expect(timeOf(start('2026-01-01T00:00:00').previous(msOf(at)))).toBe('none');
    }
  });

  // Up to 51 occurrences are passed one by one, so that the search may stop with each of these seconds.
  it.each([49, 50, 51, 52, 53])('of %i seconds may be all that is left, or leave one second', (length) => {
    const second = (number: number) => msOf('2026-05-05T12:00:00') + number * 1000;
    const skip = (start: number, end: number) => [{ hour: 12, minute: 0, second: { start, end } }];
    const next = (end: number) => of(skip(1, length), { endAt: new Date(second(end)) }).next(second(0));
    expect([next(length), next(length + 1)]).toEqual([undefined, second(length + 1)]);
    const first = 59 - length;
    const last = (start: number) => of(skip(first, 58), { startAt: new Date(second(start)) }).previous(second(59));
    expect([last(first), last(first - 1)]).toEqual([undefined, second(first - 1)]);
  });

  it('may leave single stretches, between changes of the clock, also where the server has its own rules', () => {
    // What is left is the time from the 1st to the 20th of March.
    const skip: ScheduleSpec['skip'] = [
      { ...EVERY_SECOND, month: ['JANUARY', 'FEBRUARY', { start: 'APRIL', end: 'DECEMBER' }] as never },
      { ...EVERY_SECOND, dayOfMonth: { start: 21, end: 31 } },
    ];
    for (const spec of [{ cron: '* * * * * *' }, { cronExpressions: ['* * * * * * *'] }]) {
      const compiled = compileSpec({ ...spec, skip, timezone: 'Europe/Berlin' });
      for (const at of ['2026-03-25T00:00:00', '2026-04-05T00:00:00', '2026-12-01T00:00:00']) {
        expect(timeOf(compiled.next(msOf(at)))).toBe('2027-02-28T23:00:00');
        expect(timeOf(compiled.previous(msOf(at)))).toBe('2026-03-20T22:59:59');
      }
    }
  });
});

describe('the steps of an evaluation', () => {
  const at = msOf('2026-01-01T00:00:00');
  const count20Years = (compiled: CompiledSpec) => compiled.count(at, at + 20 * 365.25 * DAY);

  it('are few where few occurrences are skipped in a row', () => {
    const compiled = compileSpec({ cron: '*/10 * * * *', skip: [{ hour: '*', minute: [10, 20, 30] }] });
    expect(stepsOf(() => expect(compiled.next(at)).toBe(at + 40 * MINUTE))).toBeLessThan(200);
    expect(stepsOf(() => expect(compiled.previous(at + 40 * MINUTE)).toBe(at))).toBeLessThan(200);
  });

  it.each(['UTC', 'Europe/Berlin'])(
    'are limited in %s where everything is skipped, by the server’s rules too',
    (timezone) => {
      const never = compileSpec({ cronExpressions: ['* * * * * * *'], skip: [EVERY_SECOND], timezone });
      expect(stepsOf(() => expect(never.next(at)).toBeUndefined())).toBeLessThan(60_000);
      expect(stepsOf(() => expect(never.previous(at)).toBeUndefined())).toBeLessThan(45_000);
      expect(stepsOf(() => expect(count20Years(never)).toBe(0))).toBeLessThan(30_000);
    },
  );

  it('near changes of the clock are spent once: what was counted there is remembered', () => {
    const compiled = compileSpec({ cronExpressions: ['* * * * * * *'], timezone: 'Europe/Berlin' });
    const first = stepsOf(() => count20Years(compiled));
    expect(stepsOf(() => count20Years(compiled))).toBeLessThan(first / 4);
    // On 25 October 2026 the server omits two hours.
    expect(compiled.count(at - 1, msOf('2027-01-01T00:00:00') - 1)).toBe(365 * 86_400 - 7_200);
    expect(compiled.count(msOf('2026-10-24T22:00:00') - 1, msOf('2026-10-25T23:00:00') - 1)).toBe(25 * 3_600 - 7_200);
  });
});
