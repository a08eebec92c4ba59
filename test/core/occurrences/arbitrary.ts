import fc from 'fast-check';
import type { CalendarSpec, ScheduleSpec } from '../../../core/schedule/spec';

/** Time zones that have caused bugs in other schedulers. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'Australia/Lord_Howe', // half an hour of daylight saving
  'Africa/Casablanca', // clocks change around Ramadan
  'America/Asuncion', // midnight missing
  'Asia/Beirut', // midnight missing
  'Pacific/Apia', // a day missing in 2011
  'Europe/Dublin', // negative saving
  'Asia/Kathmandu', // +05:45
  'Africa/Cairo',
  'America/Sao_Paulo',
  'America/St_Johns', // changes at 00:01
  'Antarctica/Troll', // two hours of daylight saving
  'Africa/Monrovia', // -00:44:30 until 1972
  'America/Havana',
  'Atlantic/Azores',
];

const MONTHS = ['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'OCTOBER', 'NOVEMBER', 'DECEMBER'] as const;
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

const between = (min: number, max: number) =>
  fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

/** A field that every dialect reads in the same way. */
export function field(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max }).map(String);
  const range = between(min, max).map(([a, b]) => `${a}-${b}`);
  const step = fc.integer({ min: 1, max: max - min });
  const item = fc.oneof(
    { weight: 4, arbitrary: value },
    { weight: 1, arbitrary: range },
    { weight: 1, arbitrary: fc.tuple(range, step).map(([r, s]) => `${r}/${s}`) },
    { weight: 1, arbitrary: step.map((s) => `*/${s}`) },
    { weight: 1, arbitrary: fc.tuple(value, step).map(([v, s]) => `${v}/${s}`) },
  );
  const list = fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
  return fc.oneof({ weight: 2, arbitrary: fc.constant('*') }, { weight: 3, arbitrary: list });
}

/** Hours of clock changes, with a higher weight. */
const hour = fc.oneof(field(0, 23), fc.constantFrom('0', '1', '2', '3', '23', '0-3', '*'));
const minute = fc.oneof(field(0, 59), fc.constantFrom('0', '30', '*/15', '15,45'));
const mostly = (usual: string, other: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

/** 5 to 7 fields of Temporal's dialect. */
export const temporalCron: fc.Arbitrary<string> = fc
  .record({
    second: mostly('0', field(0, 59)),
    minute,
    hour,
    day: mostly('*', field(1, 31)),
    month: mostly('*', fc.oneof(field(1, 12), fc.constantFrom('mar', 'Oct-Dec', 'feb/5', 'Sept'))),
    weekday: mostly(
      '*',
      fc.oneof(field(0, 6), fc.constantFrom('7', 'sun', 'wed-thurs', '5-7/2', '2/4', 'Mo', '1-7/2')),
    ),
    year: mostly('*', fc.constantFrom('2024', '2020-2030/3', '2026,2028', '2000/2')),
    form: fc.constantFrom(5, 6, 7),
    tail: fc.constantFrom('', ' # a comment', '#'),
  })
  .map(({ second, minute: m, hour: h, day, month, weekday, year, form, tail }) => {
    const five = `${m} ${h} ${day} ${month} ${weekday}`;
    return (form === 5 ? five : form === 6 ? `${five} ${year}` : `${second} ${five} ${year}`) + tail;
  });

const ours = fc.record({
  second: fc.option(field(0, 59), { nil: undefined }),
  minute,
  hour: fc.oneof(hour, fc.constantFrom('22-2', 'H', 'H(0-5)')),
  day: mostly(
    '*',
    fc.oneof(field(1, 31), fc.constantFrom('L', '1,L', 'H', '?', '1W', '15W', '31W', 'LW', 'L-3', 'L-3W,2')),
  ),
  month: mostly('*', fc.oneof(field(1, 12), fc.constantFrom('MAR', 'oct-dec', 'NOV-FEB'))),
  weekday: mostly(
    '*',
    fc.oneof(field(0, 6), fc.constantFrom('7', 'SUN', 'FRI-MON', '5L', '1#2', 'SUNL,3', '0#5', '?')),
  ),
});

/** 5 or 6 fields of our dialect. */
export const ourCron: fc.Arbitrary<string> = ours.map((f) =>
  [...(f.second === undefined ? [] : [f.second]), f.minute, f.hour, f.day, f.month, f.weekday].join(' '),
);

const looseRange = (min: number, max: number) => {
  const range = fc
    .tuple(between(min, max), fc.integer({ min: 1, max: 20 }))
    .map(([[start, end], step]) => ({ start, end, step }));
  return fc.oneof(
    fc.integer({ min, max }),
    range,
    fc.array(fc.oneof(fc.integer({ min, max }), range), { maxLength: 3, minLength: 1 }),
  );
};

export const calendarSpec: fc.Arbitrary<CalendarSpec> = fc.record(
  {
    second: looseRange(0, 59),
    minute: fc.oneof(looseRange(0, 59), fc.constant('*' as const)),
    hour: fc.oneof(looseRange(0, 23), fc.constantFrom(0, 1, 2, 3), fc.constant('*' as const)),
    dayOfMonth: looseRange(1, 31),
    month: fc.oneof(
      fc.constantFrom(...MONTHS),
      fc.constant({ start: 'MARCH' as const, end: 'NOVEMBER' as const, step: 1 }),
    ),
    year: fc.oneof(fc.integer({ min: 2020, max: 2035 }), fc.constant('*' as const)),
    dayOfWeek: fc.oneof(fc.constantFrom(...DAYS), fc.array(fc.constantFrom(...DAYS), { minLength: 1, maxLength: 4 })),
    comment: fc.constant('why'),
  },
  { requiredKeys: [] },
);

const interval = fc
  .tuple(fc.constantFrom(1, 60, 3600), fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 0.99, noNaN: true }))
  .map(([unit, n, part]) => ({ every: unit * n * 1000, offset: Math.floor(unit * n * part) * 1000 }));

/** A spec that Temporal itself understands, without jitter. */
export const temporalSpec: fc.Arbitrary<ScheduleSpec> = fc
  .record({
    timezone: fc.constantFrom(...ZONES),
    cronExpressions: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: temporalCron },
        { weight: 1, arbitrary: fc.constantFrom('@daily', '@hourly', '@every 7h/2h', '@every 1.5h') },
      ),
      { maxLength: 2 },
    ),
    calendars: fc.array(calendarSpec, { maxLength: 2 }),
    intervals: fc.array(interval, { maxLength: 1 }),
    skip: fc.array(calendarSpec, { maxLength: 1 }),
    zoneInCron: fc.boolean(),
  })
  .map(({ zoneInCron, timezone, cronExpressions, ...rest }) =>
    zoneInCron && cronExpressions.length > 0 && !cronExpressions.some((cron) => cron.startsWith('@'))
      ? { ...rest, cronExpressions: cronExpressions.map((cron) => `CRON_TZ=${timezone} ${cron}`) }
      : { ...rest, timezone, cronExpressions },
  );

/** Any spec. */
export const anySpec: fc.Arbitrary<ScheduleSpec> = fc
  .record({
    theirs: temporalSpec,
    cron: fc.array(ourCron, { maxLength: 2 }),
    dst: fc.constantFrom('ONCE' as const, 'LITERAL' as const),
    at: fc.array(
      fc.integer({ min: 0, max: 4_133_980_799 }).map((second) => new Date(second * 1000)),
      { maxLength: 2 },
    ),
    mixed: fc.integer({ min: 0, max: 3 }),
    startAt: fc.option(fc.integer({ min: 0, max: 3_000_000_000 }), { nil: undefined, freq: 5 }),
  })
  .map(({ theirs, cron, dst, at, mixed, startAt }) => ({
    ...(mixed === 0 ? { timezone: theirs.timezone } : theirs),
    ...(mixed === 1 ? {} : { cron, dst }),
    ...(mixed === 2 ? {} : { at }),
    ...(startAt === undefined ? {} : { startAt: new Date(startAt * 1000) }),
  }));
