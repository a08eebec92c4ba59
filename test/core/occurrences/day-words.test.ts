import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import { specInWords } from '../../../core/occurrences/describe';
import type { ScheduleSpec } from '../../../core/schedule/spec';
import { readDayWords } from './day-words';

const DAY = 86_400_000;
/** Two years, since their months begin on each day of the week. */
const DAYS = Array.from({ length: 731 }, (_, i) => new Date(Date.UTC(2027, 0, 1) + i * DAY));

const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const rising = (min: number, max: number) =>
  fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
const list = (...items: fc.Arbitrary<string>[]) =>
  fc.array(fc.oneof(...items), { minLength: 1, maxLength: 3 }).map((values) => values.join(','));
const stepped = (...bodies: fc.Arbitrary<string>[]) =>
  fc.tuple(fc.oneof(fc.constant('*'), ...bodies), fc.integer({ min: 1, max: 7 })).map(([body, by]) => `${body}/${by}`);

const dayOf = (...ranges: fc.Arbitrary<string>[]) => [
  fc.constant('*'),
  list(number(1, 31), ...ranges),
  stepped(number(1, 31), ...ranges),
];
const weekdayOf = (...ranges: fc.Arbitrary<string>[]) => [
  fc.constantFrom('*', 'FRI', 'MON-FRI', 'SUN'),
  list(number(0, 7), ...ranges),
  stepped(number(0, 7), ...ranges),
];
const oursDays = fc.oneof(
  ...dayOf(rising(1, 31)),
  fc.constantFrom('?', '28-3', 'L', 'L-3', '1W', '15W', '31W', 'LW', 'L-2W'),
  list(number(1, 31), fc.constantFrom('L', 'L-2')),
);
const oursWeekdays = fc.oneof(
  ...weekdayOf(rising(0, 7)),
  fc.constantFrom('?', 'FRI-MON', 'SAT-SUN', '5-1/2'),
  list(fc.constantFrom('5L', '1L', '2#1', '7#5', '1#3')),
  list(number(0, 7), fc.constantFrom('5L', '2#1')),
);

function expectWordsToSay(spec: ScheduleSpec, expression: string): void {
  const [words] = specInWords(spec, 'nightly');
  if (words === expression) return;
  const says = readDayWords(words!);
  const compiled = compileSpec(spec, { scheduleId: 'nightly' });
  const fires = (day: Date) => compiled.next(day.getTime() - 1) === day.getTime();
  const wrong = DAYS.find((day) => says(day) !== fires(day));
  expect(wrong?.toUTCString(), `${expression}: ${words}`).toBe(undefined);
}

it('says of cron the days on which it fires', () => {
  fc.assert(
    fc.property(oursDays, oursWeekdays, (days, weekdays) => {
      const expression = `0 0 ${days} * ${weekdays}`;
      expectWordsToSay({ cron: expression }, expression);
    }),
    { numRuns: 300 },
  );
});

it('says of cronExpressions the days on which they fire', () => {
  fc.assert(
    fc.property(fc.oneof(...dayOf(rising(1, 31))), fc.oneof(...weekdayOf(rising(0, 7))), (days, weekdays) => {
      const expression = `0 0 ${days} * ${weekdays}`;
      expectWordsToSay({ cronExpressions: [expression] }, expression);
    }),
    { numRuns: 300 },
  );
});
