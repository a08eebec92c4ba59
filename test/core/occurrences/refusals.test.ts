import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from '../../../core/errors';
import { canFire, compileSpec } from '../../../core/occurrences';
import { show } from '../../../core/occurrences/show';
import type { ScheduleSpec } from '../../../core/schedule/spec';

function refusal(spec: unknown): { path: string; problem: string } {
  try {
    compileSpec(spec as ScheduleSpec);
  } catch (error) {
    if (error instanceof InvalidScheduleError) return { path: error.path, problem: error.problem };
    throw error;
  }
  throw new Error(`accepted ${show(spec)}`);
}

const cases: [spec: unknown, path: string, problem: RegExp][] = [
  [{ cron: '0 0 32W * *' }, 'spec.cron', /day-of-month "32W" is not allowed; 1-31, L .*15W/],
  [{ cron: '0 0 W * *' }, 'spec.cron', /day-of-month "W" is not allowed/],
  [{ cron: '0 0 L-31 * *' }, 'spec.cron', /day-of-month "L-31" is not allowed/],
  [{ cron: '0 0 1-5W * *' }, 'spec.cron', /day-of-month "1-5W" is not allowed/],
  [{ cron: '0 0 * * 5W' }, 'spec.cron', /day-of-week "5W" is not allowed/],
  [{ calendars: [{ hour: { start: 9, edn: 17 } }] }, 'spec.calendars[0].hour.edn', /did you mean end\?/],
  [{ skip: [{ minute: [{ start: 0, end: 5, every: 2 }] }] }, 'spec.skip[0].minute.every', /is not a field here; start/],
  [{ calendars: [{ hour: { start: 9 } }] }, 'spec.calendars[0].hour.end', /is missing: Temporal takes 1 for it/],
  [{ cron: null }, 'spec.cron', /is null, and the spec has no other times/],
  [{ cron: [], at: null, timezone: 'UTC' }, 'spec.at', /is null, and the spec has no other times/],
  [{ startAt: '' }, 'spec.startAt', /is not an instant/],
  [{ endAt: 0 }, 'spec.endAt', /is not an instant/],
  [{ cron: '60 * * * *' }, 'spec.cron', /minute "60" is not allowed; 0-59/],
  [{ cron: '0 24 * * *' }, 'spec.cron', /hour "24" is not allowed; 0-23/],
  [{ cron: '0 0 0 * *' }, 'spec.cron', /day-of-month "0" is not allowed; 1-31/],
  [{ cron: '0 0 * 13 *' }, 'spec.cron', /month "13" is not allowed; 1-12/],
  [{ cron: '0 0 * * 8' }, 'spec.cron', /day-of-week "8" is not allowed; 0-7/],
  [{ cron: '61 0 0 * * *' }, 'spec.cron', /second "61"/],
  [{ cron: '0 0 0 1 1 * 1969' }, 'spec.cron', /year "1969" is not allowed; 1970-2100/],
  [{ cron: '*/0 * * * *' }, 'spec.cron', /minute "\*\/0": a step is at least 1/],
  [{ cron: ['0 0 * * *', '0 0 * * MOM'] }, 'spec.cron[1]', /"MOM".*did you mean MON\?/],
  [{ cron: '0 0 * Febuary *' }, 'spec.cron', /did you mean FEBRUARY\?/],
  [{ cron: '0 0 * *' }, 'spec.cron', /has 4 fields; 5 .*6 .*7/],
  [{ cron: '' }, 'spec.cron', /has 0 fields/],
  [{ cron: '0,,5 * * * *' }, 'spec.cron', /minute is empty/],
  [{ cron: '@dayly' }, 'spec.cron', /did you mean @daily\?/],
  [{ cron: '@every 5m' }, 'spec.cron', /spec.intervals/],
  [{ cron: 'TZ=Europe/Berlin 0 0 * * *' }, 'spec.cron', /spec.timezone/],
  [{ cron: 'H * * * *' }, 'spec.cron', /needs a scheduleId/],
  [{ cron: 5 }, 'spec.cron', /is a string/],
  [{ cron: '0 0 * * 5#6' }, 'spec.cron', /day-of-week "5#6"/],
  [{ cron: `${'0,'.repeat(600)}0 * * * *` }, 'spec.cron', /longer than 1024/],
  [{ timezone: 'Europe/Belin' }, 'spec.timezone', /"Europe\/Belin" is not a time zone.*did you mean Europe\/Berlin\?/],
  [{ timezone: 'Asia/Kolkatta' }, 'spec.timezone', /did you mean Asia\/Kolkata\?/],
  [{ timezone: 'Amercia/New_York' }, 'spec.timezone', /did you mean America\/New_York\?/],
  [{ timezone: '+05:00' }, 'spec.timezone', /is not a time zone/],
  [{ timezone: 7 }, 'spec.timezone', /is not a time zone/],
  [{ cronExpressions: ['CRON_TZ=Europe/Belin 0 0 * * *'] }, 'spec.cronExpressions[0]', /did you mean Europe\/Berlin\?/],
  [{ cronExpressions: ['0 0 L * *'] }, 'spec.cronExpressions[0]', /day-of-month "L" is not in the range 1-31/],
  [{ cronExpressions: ['@every 1x'] }, 'spec.cronExpressions[0]', /is not a duration/],
  [{ cronExpressions: ['@every 1ms'] }, 'spec.cronExpressions[0]', /at least one second/],
  [
    { cronExpressions: ['CRON_TZ=Europe/Berlin 0 0 * * *'], timezone: 'Asia/Tokyo' },
    'spec.cronExpressions[0]',
    /spec.timezone is Asia\/Tokyo/,
  ],
  [{ calendars: [{ hour: 24 }] }, 'spec.calendars[0].hour', /24 is not allowed; a number in 0-23/],
  [{ calendars: [{}, { dayOfWeek: 'TEUSDAY' }] }, 'spec.calendars[1].dayOfWeek', /did you mean TUESDAY\?/],
  [{ calendars: [{ month: 3 }] }, 'spec.calendars[0].month', /JANUARY to DECEMBER/],
  [{ calendars: [{ year: 1999 }] }, 'spec.calendars[0].year', /2000-2100/],
  [{ calendars: [{ hour: { start: 9, end: 5 } }] }, 'spec.calendars[0].hour', /before its start/],
  [{ calendars: [{ hours: 3 }] }, 'spec.calendars[0].hours', /did you mean hour\?/],
  [{ skip: [{ minute: -1 }] }, 'spec.skip[0].minute', /0-59/],
  [{ intervals: [{ every: '1 fortnight' }] }, 'spec.intervals[0].every', /is not a duration/],
  [{ intervals: [{ every: 999 }] }, 'spec.intervals[0].every', /at least one second/],
  [{ intervals: [{ every: '1h', offset: '1h' }] }, 'spec.intervals[0].offset', /less than every/],
  [{ intervals: [{ every: '1h', anchor: '2026-01-01T00:00:00.5Z' }] }, 'spec.intervals[0].anchor', /whole second/],
  [{ at: '2026-01-01T00:00:00' }, 'spec.at', /is not an instant/],
  [{ at: [new Date(Number.NaN)] }, 'spec.at[0]', /an invalid Date is not an instant/],
  [{ at: new Date(1500) }, 'spec.at', /whole second/],
  [{ at: new Date(-1000) }, 'spec.at', /1970 to 2100/],
  [{ startAt: 'tomorrow' }, 'spec.startAt', /is not an instant/],
  [{ endAt: 12 }, 'spec.endAt', /is not an instant/],
  [{ jitter: 'some' }, 'spec.jitter', /is not a duration/],
  [{ dst: 'TWICE' }, 'spec.dst', /'ONCE' and 'LITERAL'/],
  [{ crom: '0 0 * * *' }, 'spec.crom', /did you mean cron\?/],
  ['0 0 * * *', 'spec', /is an object/],
  [{ cron: 10n }, 'spec.cron', /not 10/],
  [{ cronExpressions: ['toString'] }, 'spec.cronExpressions[0]', /does not have 5/],
  [{ cronExpressions: ['@every 5toString'] }, 'spec.cronExpressions[0]', /is not a duration/],
  [{ cronExpressions: [`@every ${'1'.repeat(100_000)}`] }, 'spec.cronExpressions[0]', /longer than 4096/],
];

describe('a bad spec', () => {
  it.each(cases.map(([spec, path, problem]) => [show(spec), spec, path, problem] as const))(
    'is refused with its path, its value and what is allowed: %s',
    (_, spec, path, problem) => {
      const found = refusal(spec);
      expect(found.path).toBe(path);
      expect(found.problem).toMatch(problem);
    },
  );

  it('is refused for a range of years that ends before it begins if it is given, and read if it is stored', () => {
    for (const years of ['2028-2027', '2030,2028-2027/2']) {
      const spec = { cron: `0 0 0 1 1 * ${years}` };
      expect(() => compileSpec(spec, { given: true })).toThrow('year "2028-2027');
      expect(canFire(compileSpec(spec), Date.parse('2029-06-01T00:00:00Z'))).toBe(true);
    }
    expect(canFire(compileSpec({ cron: '0 0 22-2 * 11-2 * 2027-2027' }, { given: true }), 0)).toBe(true);
  });

  it('of any form is refused as InvalidScheduleError or compiles; nothing else is thrown and nothing hangs', () => {
    const atom = fc.stringMatching(/^[0-9*?LWH#/,\-A-Za-z()@=: ]{0,12}$/);
    const text = fc.oneof(
      fc.string(),
      fc.array(atom, { maxLength: 8 }).map((atoms) => atoms.join(' ')),
    );
    const value = fc.oneof(text, fc.anything());
    const spec = fc.record(
      {
        cron: fc.oneof(value, fc.array(value, { maxLength: 2 })),
        cronExpressions: fc.oneof(value, fc.array(text, { maxLength: 2 })),
        timezone: fc.oneof(fc.constant('Europe/Berlin'), value),
        calendars: fc.array(fc.dictionary(fc.constantFrom('hour', 'second', 'year', 'dayOfWeek'), value), {
          maxLength: 2,
        }),
        intervals: fc.array(fc.record({ every: value, offset: value }, { requiredKeys: [] }), { maxLength: 2 }),
        at: value,
        startAt: value,
        jitter: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(spec, fc.integer(), (candidate, after) => {
        try {
          const compiled = compileSpec(candidate as unknown as ScheduleSpec, { scheduleId: 'fuzz' });
          const next = compiled.next(after * 1000);
          if (next !== undefined) expect(compiled.previous(next + 1)).toBe(next);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidScheduleError);
        }
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a spec that never fires again', () => {
  const second = { second: '*', minute: '*', hour: '*' } as const;
  const never: [string, ScheduleSpec][] = [
    ['without any part', {}],
    ['on 30 February', { cron: '0 0 30 2 *' }],
    ['in a year gone by', { cron: '0 0 0 1 1 * 2020' }],
    ['after its end', { intervals: [{ every: '1s' }], endAt: new Date('2025-01-01T00:00:00Z') }],
    ['with all its times skipped', { calendars: [second], skip: [second], timezone: 'Europe/Paris' }],
    [
      'with even and odd days skipped',
      {
        intervals: [{ every: '7s' }],
        cron: '* * * * * *',
        skip: [1, 2].map((start) => ({ ...second, dayOfMonth: { start, end: 31, step: 2 } })),
        timezone: 'America/Los_Angeles',
      },
    ],
    [
      'with more intervals than can be added up, all skipped',
      { intervals: [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].map((n) => ({ every: n * 1000 })), skip: [second] },
    ],
    [
      'with all its seconds skipped, where the server has its own ways of changing the clock',
      {
        cronExpressions: ['0-58 * * * * * *'],
        skip: [{ ...second, second: { start: 0, end: 58 } }],
        timezone: 'Europe/Berlin',
      },
    ],
    ['with an instant gone by', { at: new Date('2020-01-01T00:00:00Z') }],
    ['with an empty field', { calendars: [{ hour: [] }] }],
  ];
  it.each(never)('is known: %s', (_, spec) => {
    expect(canFire(compileSpec(spec), Date.UTC(2026, 0, 1))).toBe(false);
  });
  it('is told from one that fires once more, a lifetime away', () => {
    const rare = { cron: '0 0 0 29 2 1 2096', timezone: 'Asia/Kathmandu', skip: [{ hour: 1 }] };
    expect(canFire(compileSpec(rare), Date.UTC(2026, 0, 1))).toBe(true);
    const last = {
      calendars: [second],
      skip: [{ ...second, year: { start: 2000, end: 2098 } }],
      timezone: 'Europe/Rome',
    };
    expect(compileSpec(last).next(Date.UTC(2026, 0, 1))).toBe(Date.UTC(2098, 11, 31, 23));
    expect(compileSpec(last).previous(Date.UTC(2098, 5, 1))).toBe(Date.UTC(1999, 11, 31, 22, 59, 59));
  });
});
