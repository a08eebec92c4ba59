import { describe, expect, it } from 'vitest';
import { canFire, compileSpec, hashedMinute, nextOccurrences } from '../../../core/occurrences';
import { ownCalendars, timezoneOf } from '../../../core/occurrences/compile';
import { show } from '../../../core/occurrences/show';
import { stepsOf } from '../../../core/occurrences/steps';
import type { ScheduleSpec } from '../../../core/schedule/spec';
import { range } from '../minutes';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const DAY = 86_400_000;

/** The seconds after noon of all occurrences in the minute from noon. */
function secondsOf(spec: unknown): number[] {
  const compiled = compileSpec(spec as ScheduleSpec);
  const found: number[] = [];
  for (let at = compiled.next(NOON - 1); at !== undefined && at < NOON + 60_000; at = compiled.next(at)) {
    found.push((at - NOON) / 1000);
  }
  return found;
}

describe('a spec is refused, with what is allowed', () => {
  const hourly = '0 * * * *';
  const berlin = `CRON_TZ=Europe/Berlin ${hourly}`;
  const refused: [spec: unknown, path: string, problem: string][] = [
    [null, 'spec', "is an object such as { cron: '0 2 * * *' }, not null"],
    [undefined, 'spec', "is an object such as { cron: '0 2 * * *' }, not undefined"],
    [[hourly], 'spec', `is an object such as { cron: '0 2 * * *' }, not ["${hourly}"]`],
    [{ crons: hourly }, 'spec.crons', 'is not a field here; cron, '],
    [{ dst: 'once' }, 'spec.dst', "\"once\" is not allowed; 'ONCE' and 'LITERAL' are"],
    [{ cron: [hourly, 7] }, 'spec.cron[1]', 'a cron expression is a string, not 7'],
    [{ cronExpressions: [hourly, 'x'] }, 'spec.cronExpressions[1]', 'does not have 5'],
    [{ calendars: [{}, 7] }, 'spec.calendars[1]', 'is a calendar such as { hour: 9 }, not 7'],
    [{ skip: [{}, 7] }, 'spec.skip[1]', 'is a calendar such as { hour: 9 }, not 7'],
    [{ at: ['2026-01-01T00:00:00Z', 'x'] }, 'spec.at[1]', 'is not an instant'],
    [{ at: range(0, 10_000).map((n) => new Date(n * 1000)) }, 'spec.at', 'has 10001 entries; at most 10,000'],
    [{ intervals: [null] }, 'spec.intervals[0]', "is an interval such as { every: '1h' }, not null"],
    [{ intervals: ['1h'] }, 'spec.intervals[0]', 'is an interval such as { every: \'1h\' }, not "1h"'],
    [{ intervals: [{}] }, 'spec.intervals[0].every', 'undefined is not a duration'],
    [{ intervals: [{ every: '1h' }, { every: 'x' }] }, 'spec.intervals[1].every', '"x" is not a duration'],
    [
      { intervals: [{ every: '1h', offest: '1m' }] },
      'spec.intervals[0].offest',
      'is not a field here; every, offset, anchor are; did you mean offset?',
    ],
    [{ intervals: [{ every: '1h', offset: 'x' }] }, 'spec.intervals[0].offset', '"x" is not a duration'],
    [{ intervals: [{ every: '1h', offset: -1 }] }, 'spec.intervals[0].offset', 'an offset is not negative'],
    [{ intervals: [{ every: '1h', offset: '60m' }] }, 'spec.intervals[0].offset', 'an offset is less than every'],
    [{ intervals: [{ every: 999 }] }, 'spec.intervals[0].every', 'an interval is at least one second'],
    [{ intervals: [{ every: '1h', anchor: 'x' }] }, 'spec.intervals[0].anchor', '"x" is not an instant'],
    [{ cronExpressions: ['@every 999ms'] }, 'spec.cronExpressions[0]', 'an interval is at least one second'],
    [{ cronExpressions: ['@every 1h/1h'] }, 'spec.cronExpressions[0]', 'an offset is less than every'],
    [{ cronExpressions: ['@every 1h/-1m'] }, 'spec.cronExpressions[0]', 'an offset is not negative'],
    [
      { cronExpressions: [berlin, `CRON_TZ=Asia/Tokyo ${hourly}`] },
      'spec.cronExpressions[1]',
      'names another time zone than the expression before it, or none; all must name the same',
    ],
    [{ cronExpressions: [berlin, hourly] }, 'spec.cronExpressions[1]', 'names another time zone than the expression'],
    [{ cronExpressions: [hourly, berlin] }, 'spec.cronExpressions[1]', 'names another time zone than the expression'],
    [
      { cronExpressions: [berlin], timezone: 'Asia/Tokyo' },
      'spec.cronExpressions[0]',
      'names Europe/Berlin, but spec.timezone is Asia/Tokyo',
    ],
    [{ cronExpressions: [hourly], timezone: 'Berlin' }, 'spec.timezone', '"Berlin" is not a time zone'],
    [{ cronExpressions: [`TZ=Berlin ${hourly}`] }, 'spec.cronExpressions[0]', '"Berlin" is not a time zone'],
    [{ cron: Array(1_000).fill(`${'0,'.repeat(500)}0 * * * *`) }, 'spec', 'takes too long to evaluate'],
  ];
  it.each(refused.map(([spec, path, problem]) => [show(spec), spec, path, problem] as const))(
    '%s',
    (_, spec, path, problem) => {
      expect(() => compileSpec(spec as ScheduleSpec)).toThrow(
        expect.objectContaining({ path, problem: expect.stringContaining(problem) }),
      );
    },
  );

  it.each<keyof ScheduleSpec>([
    'cron',
    'dst',
    'at',
    'cronExpressions',
    'calendars',
    'intervals',
    'skip',
    'skipDays',
    'onlyDays',
    'calendarDays',
    'startAt',
    'endAt',
    'jitter',
    'timezone',
  ])('except for the field %s, which is one of a spec', (field) => {
    expect(() => compileSpec({ [field]: undefined })).not.toThrow();
    expect(() => compileSpec({ cron: '0 2 * * *', calendars: [{ hour: 2 }], [field]: null } as never)).not.toThrow();
  });
});

describe('the bounds of a spec', () => {
  const everySecond = { intervals: [{ every: '1s' as const }] };
  it('are both included, and rounded down to whole seconds, as in Temporal', () => {
    const after = (ms: number) => new Date(NOON + ms);
    expect(secondsOf({ ...everySecond, startAt: after(58_000) })).toEqual([58, 59]);
    expect(secondsOf({ ...everySecond, startAt: after(58_999) })).toEqual([58, 59]);
    expect(secondsOf({ ...everySecond, endAt: after(1_000) })).toEqual([0, 1]);
    expect(secondsOf({ ...everySecond, endAt: after(1_999) })).toEqual([0, 1]);
    expect(secondsOf({ ...everySecond, startAt: after(3_000), endAt: after(3_000) })).toEqual([3]);
    expect(secondsOf({ ...everySecond, startAt: after(4_000), endAt: after(3_000) })).toEqual([]);
  });

  it('hold for single instants too', () => {
    const at = [1, 2, 3].map((second) => new Date(NOON + second * 1000));
    expect(secondsOf({ at, startAt: at[1], endAt: at[1] })).toEqual([2]);
  });

  it('never reach before 1970 or beyond 2100', () => {
    const wide = { startAt: new Date('1960-01-01T00:00:00Z'), endAt: new Date('2200-01-01T00:00:00Z') };
    for (const compiled of [compileSpec(everySecond), compileSpec({ ...everySecond, ...wide })]) {
      expect(compiled.next(Number.NEGATIVE_INFINITY)).toBe(0);
      expect(compiled.previous(Number.POSITIVE_INFINITY)).toBe(Date.UTC(2101, 0, 1) - 1000);
    }
  });
});

describe('an interval', () => {
  it.each<[what: string, interval: unknown, seconds: number[]]>([
    ['begins at its offset', { every: '20s', offset: '5s' }, [5, 25, 45]],
    ['may have an offset of all but its last second', { every: '30s', offset: '29s' }, [29, 59]],
    ['may last one second', { every: 1000 }, range(0, 59)],
    ['loses parts of a second, as in Temporal', { every: 20_999, offset: 5_999 }, [5, 25, 45]],
    ['has no offset and no anchor by null', { every: '20s', offset: null, anchor: null }, [0, 20, 40]],
    ['counts its offset from the anchor', { every: '20s', offset: '5s', anchor: new Date(NOON + 7_000) }, [12, 32, 52]],
    ['reaches back before its anchor', { every: '20s', anchor: new Date(NOON + DAY + 7_000) }, [7, 27, 47]],
  ])('%s', (_, interval, seconds) => {
    expect(secondsOf({ intervals: [interval] })).toEqual(seconds);
  });

  it('that is given twice counts once', () => {
    const compiled = compileSpec({ intervals: [{ every: '20s' }, { every: '20s' }], cronExpressions: ['@every 20s'] });
    expect(compiled.count(NOON - 1, NOON + 59_999)).toBe(3);
  });

  it('that only has instants of another one costs nothing', () => {
    const cost = (intervals: ScheduleSpec['intervals']) => {
      const compiled = compileSpec({ intervals });
      expect(compiled.count(NOON - 1, NOON + 59_999)).toBe(12);
      return stepsOf(() => compiled.count(NOON, NOON + DAY));
    };
    const alone = cost([{ every: '5s', offset: '2s' }]);
    expect(
      cost([
        { every: '10s', offset: '7s' },
        { every: '5s', offset: '2s' },
        { every: '60s', offset: '2s' },
      ]),
    ).toBe(alone);
  });

  it('may be one of a thousand', () => {
    const intervals = range(1, 1_000).map((n) => ({ every: 2_000_000, offset: n * 1_000 }));
    expect(compileSpec({ intervals }).next(0)).toBe(1_000);
    expect(() => compileSpec({ intervals: [...intervals, { every: '1h' }] })).toThrow(
      'has 1001 entries; at most 1,000',
    );
  });

  it.each<[why: string, other: { every: number; offset: number }, count: number]>([
    ['its period does not divide the longer one', { every: 7_000, offset: 0 }, 12 + 9 - 2],
    ['it is shifted', { every: 10_000, offset: 1_000 }, 12 + 6],
  ])('keeps its own instants beside another one: %s', (_, other, count) => {
    expect(secondsOf({ intervals: [{ every: '5s' }, other] })).toHaveLength(count);
    expect(secondsOf({ intervals: [other, { every: '5s' }] })).toHaveLength(count);
  });
});

describe('the parts of a spec', () => {
  it('are united, each instant once and in order', () => {
    const spec = {
      cron: ['3 * * * * *', '10 * * * * *'],
      cronExpressions: ['@every 1m', '20 * * * * * *'],
      calendars: [{ second: 30, minute: '*', hour: '*' }],
      intervals: [{ every: '30s' }],
      at: [new Date(NOON + 40_000), new Date(NOON + 5_000), new Date(NOON + 3_000), new Date(NOON + 5_000)],
    };
    expect(secondsOf(spec)).toEqual([0, 3, 5, 10, 20, 30, 40]);
    expect(compileSpec(spec as ScheduleSpec).count(NOON - 1, NOON + 59_999)).toBe(7);
  });

  it('may have ten thousand single instants', () => {
    const compiled = compileSpec({ at: range(1, 10_000).map((n) => new Date(n * 1000)) });
    expect(compiled.count(0, 10_000_000)).toBe(10_000);
  });

  it('follow the server where the clock goes back, from the times of an interval too, wherever it is written', () => {
    const next = (spec: ScheduleSpec) =>
      nextOccurrences(
        { timezone: 'Europe/Berlin', ...spec },
        { after: new Date('2026-10-25T00:00:00Z'), count: 3 },
      ).map((date) => date.toISOString().slice(11, 16));
    const quarters = '*/15 * * * *';
    // From the whole hour of the interval, the server finds no quarter of the repeated hour.
    expect(next({ cronExpressions: [quarters, '@every 1h'] })).toEqual(['01:00', '02:00', '02:15']);
    expect(next({ cronExpressions: [quarters], intervals: [{ every: '1h' }] })).toEqual(['01:00', '02:00', '02:15']);
  });

  it.each([undefined, null, 'ONCE'])(
    'fire once in a repeated hour of spec.cron by dst %j, and twice by LITERAL',
    (dst) => {
      const spec = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
      const count = (rule: unknown) =>
        compileSpec({ ...spec, dst: rule } as ScheduleSpec).count(Date.UTC(2026, 9, 24, 12), Date.UTC(2026, 9, 25, 12));
      expect(count(dst)).toBe(1);
      expect(count('LITERAL')).toBe(2);
    },
  );
});

describe('a schedule without an ID', () => {
  it('has the jitter of the empty ID', () => {
    const spec = { cron: '0 12 * * *', jitter: '1h' as const };
    const start = compileSpec(spec).startTime(NOON);
    expect(start).toBe(compileSpec(spec, { scheduleId: '' }).startTime(NOON));
    expect(start).not.toBe(compileSpec(spec, { scheduleId: 'other' }).startTime(NOON));
  });
  it('starts at its nominal time without jitter', () => {
    expect(compileSpec({ cron: '0 12 * * *' }).startTime(NOON)).toBe(NOON);
    expect(compileSpec({ cron: '0 12 * * *', jitter: null as never }).startTime(NOON)).toBe(NOON);
  });
});

it('a spec can fire until its last occurrence, which is later than the instant that is asked about', () => {
  const compiled = compileSpec({ at: new Date(NOON) });
  expect(canFire(compiled, NOON - 1)).toBe(true);
  expect(canFire(compiled, NOON)).toBe(false);
});

describe('the calendars of spec.cron for one schedule', () => {
  it('have the values of H', () => {
    const [calendar] = ownCalendars({ cron: ['H * * * *'] }, 'nightly');
    const minute = hashedMinute('nightly');
    expect(minute).toBe(34);
    expect([calendar!.minutesLow, calendar!.minutesHigh]).toEqual([0, 1 << (minute - 32)]);
  });
  it('are those of no other part, and none without spec.cron', () => {
    expect(ownCalendars({ cronExpressions: ['0 * * * *'], calendars: [{}] }, 'nightly')).toEqual([]);
  });
  it('are refused where they cost too much', () => {
    const cron = Array<string>(1_000).fill(`${'0,'.repeat(500)}0 * * * *`);
    expect(() => ownCalendars({ cron }, 'nightly')).toThrow(
      expect.objectContaining({ path: 'spec', problem: expect.stringContaining('takes too long to evaluate') }),
    );
  });
});

it.each<[ScheduleSpec, string]>([
  [{}, ''],
  [{ cronExpressions: ['0 * * * *'] }, ''],
  [{ timezone: 'europe/berlin' }, 'Europe/Berlin'],
  [{ cronExpressions: ['CRON_TZ=ASIA/TOKYO 0 * * * *'] }, 'Asia/Tokyo'],
  [
    { cronExpressions: ['CRON_TZ=asia/tokyo 0 * * * *', 'TZ=Asia/Tokyo 5 * * * *'], timezone: 'Asia/tokyo' },
    'Asia/Tokyo',
  ],
  [{ cronExpressions: ['0 * * * *'], timezone: 'Asia/Tokyo' }, 'Asia/Tokyo'],
  [{ cronExpressions: ['CRON_TZ=Asia/Tokyo @every 1h'] }, ''],
])('the time zone of %j is %j', (spec, zone) => {
  expect(timezoneOf(spec)).toBe(zone);
});
