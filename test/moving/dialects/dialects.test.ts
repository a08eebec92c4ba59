import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from '../../../core/errors';
import { nextOccurrences } from '../../../core/occurrences';
import { type Dialect, translate } from '../../../moving/dialects/dialects';

const vectors: { expr: string; tz: string; from: string; next: string[]; rule: string }[] = readFileSync(
  join(__dirname, '../../vectors/cron.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

function next(dialect: Dialect, expression: string, from: string, count: number, timezone?: string): string[] {
  const { spec } = translate(dialect, expression, timezone);
  return nextOccurrences(spec, { after: new Date(from), count }).map((date) => date.toISOString().slice(0, 19));
}

describe('Quartz', () => {
  it.each([
    // Of its own tutorial: what each comes to was read off a calendar.
    ['0 0 12 * * ?', '2026-11-24T12:00:00Z', ['2026-11-25T12:00:00', '2026-11-26T12:00:00']],
    ['0 15 10 ? * *', '2026-11-24T00:00:00Z', ['2026-11-24T10:15:00', '2026-11-25T10:15:00']],
    ['0 15 10 * * ? 2027', '2026-11-24T00:00:00Z', ['2027-01-01T10:15:00', '2027-01-02T10:15:00']],
    ['0 0/5 14,18 * * ?', '2026-11-24T14:53:00Z', ['2026-11-24T14:55:00', '2026-11-24T18:00:00']],
    ['0 10,44 14 ? 3 WED', '2026-11-24T00:00:00Z', ['2027-03-03T14:10:00', '2027-03-03T14:44:00']],
    ['0 15 10 ? * MON-FRI', '2026-11-27T12:00:00Z', ['2026-11-30T10:15:00', '2026-12-01T10:15:00']],
    // 1 is Sunday: 2-6 are Monday to Friday.
    ['0 15 10 ? * 2-6', '2026-11-27T12:00:00Z', ['2026-11-30T10:15:00', '2026-12-01T10:15:00']],
    ['0 0 8 ? * 1', '2026-11-24T00:00:00Z', ['2026-11-29T08:00:00', '2026-12-06T08:00:00']],
    // L alone in day-of-week is Saturday.
    ['0 0 8 ? * L', '2026-11-24T00:00:00Z', ['2026-11-28T08:00:00', '2026-12-05T08:00:00']],
    ['0 15 10 L * ?', '2026-11-24T00:00:00Z', ['2026-11-30T10:15:00', '2026-12-31T10:15:00']],
    ['0 15 10 L-2 * ?', '2026-11-24T00:00:00Z', ['2026-11-28T10:15:00', '2026-12-29T10:15:00']],
    ['0 15 10 LW * ?', '2027-01-01T00:00:00Z', ['2027-01-29T10:15:00', '2027-02-26T10:15:00']],
    ['0 15 10 15W * ?', '2026-11-01T00:00:00Z', ['2026-11-16T10:15:00', '2026-12-15T10:15:00']],
    ['0 15 10 ? * 6L', '2026-11-24T00:00:00Z', ['2026-11-27T10:15:00', '2026-12-25T10:15:00']],
    ['0 15 10 ? * FRIL', '2026-11-24T00:00:00Z', ['2026-11-27T10:15:00', '2026-12-25T10:15:00']],
    ['0 15 10 ? * 6#3', '2026-11-24T00:00:00Z', ['2026-12-18T10:15:00', '2027-01-15T10:15:00']],
    ['0 0 0 ? * 2/2', '2026-11-24T12:00:00Z', ['2026-11-25T00:00:00', '2026-11-27T00:00:00']],
    ['0 0 22-2/2 * * ?', '2026-11-24T21:00:00Z', ['2026-11-24T22:00:00', '2026-11-25T00:00:00']],
    ['/30 * * * * ?', '2026-11-24T12:00:00Z', ['2026-11-24T12:00:30', '2026-11-24T12:01:00']],
  ] as const)('%s', (expression, from, times) => {
    expect(next('quartz', expression, from, times.length)).toEqual(times);
  });

  it('reads what its own tests read', () => {
    const quartz = vectors.filter(({ rule }) => rule === 'quartz');
    expect(quartz).toHaveLength(1);
    for (const { expr, tz, from, next: times } of quartz) {
      expect(next('quartz', expr, from, times.length, tz)).toEqual(times.map((time) => time.slice(0, 19)));
    }
  });
});

describe('EventBridge', () => {
  it.each([
    ['cron(0 10 * * ? *)', '2026-11-24T12:00:00Z', ['2026-11-25T10:00:00', '2026-11-26T10:00:00']],
    ['cron(15 12 * * ? *)', '2026-11-24T12:15:00Z', ['2026-11-25T12:15:00']],
    ['cron(0 18 ? * MON-FRI *)', '2026-11-27T18:00:00Z', ['2026-11-30T18:00:00']],
    ['cron(0/10 * ? * 2-6 *)', '2026-11-27T23:50:00Z', ['2026-11-30T00:00:00', '2026-11-30T00:10:00']],
    ['cron(15 10 ? * 6L 2026-2027)', '2027-11-30T00:00:00Z', ['2027-12-31T10:15:00']],
    ['cron(0 9 3W * ? *)', '2027-01-01T00:00:00Z', ['2027-01-04T09:00:00']],
    ['rate(5 minutes)', '2026-11-24T12:01:00Z', ['2026-11-24T12:05:00', '2026-11-24T12:10:00']],
    ['rate(1 hour)', '2026-11-24T12:01:00Z', ['2026-11-24T13:00:00']],
    ['at(2026-12-20T13:00:00)', '2026-11-24T12:00:00Z', ['2026-12-20T13:00:00']],
  ] as const)('%s', (expression, from, times) => {
    expect(next('eventbridge', expression, from, times.length)).toEqual(times);
  });

  it('takes a single time as local in its zone', () => {
    expect(next('eventbridge', 'at(2026-12-20T13:00:00)', '2026-01-01T00:00:00Z', 2, 'America/New_York')).toEqual([
      '2026-12-20T18:00:00',
    ]);
  });
});

describe('what has no counterpart is refused by name', () => {
  it.each([
    ['quartz', '0 0 12 * * *', /exactly one of day-of-month and day-of-week is '\?'/],
    ['quartz', '0 0 12 ? * ?', /exactly one/],
    ['quartz', '0 0 12 15 * MON', /exactly one/],
    ['quartz', '0 12 * * ?', /has 5 fields; Quartz has 6/],
    ['quartz', '? 0 12 * * ?', /second '\?' is not allowed/],
    ['quartz', '0 0 12 ? * 8', /day-of-week '8' is not allowed; 1-7 and SUN-SAT/],
    ['quartz', '0 0 12 ? * 0', /day-of-week '0'/],
    ['quartz', '0 0 12 5C * ?', /'5C' asks a Quartz calendar/],
    ['quartz', '0 0 12 32W * ?', /day-of-month '32W'/],
    ['quartz', '0 0 12 ? * 6#6', /day-of-week '6#6'/],
    ['quartz', '0 0/70 12 * * ?', /step that is not from 1 to 59/],
    ['quartz', '0 H 12 * * ?', /minute 'H'/],
    ['quartz', '0 0, 12 * * ?', /minute '' is empty/],
    ['quartz', '0 0 12 * * ? 2030-2027', /ends before it begins/],
    ['eventbridge', '0 10 * * ? *', /is no expression of EventBridge/],
    ['eventbridge', 'cron(0 10 * * ?)', /cron\(…\) has 5 fields/],
    ['eventbridge', 'cron(0 10 * * * *)', /exactly one/],
    ['eventbridge', 'cron(0 10 * * ? 2150)', /year '2150'/],
    ['eventbridge', 'rate(1 minutes)', /rate\(1 minutes\) is not allowed/],
    ['eventbridge', 'rate(5 minute)', /is not allowed/],
    ['eventbridge', 'rate(0 minutes)', /is not allowed/],
    ['eventbridge', 'rate(30 seconds)', /is not allowed/],
    ['eventbridge', 'at(2026-02-30T13:00:00)', /is not a time/],
    ['eventbridge', 'at(2026-12-20T13:00:00Z)', /without a zone/],
  ] as const)('%s %s', (dialect, expression, message) => {
    const refused = () => translate(dialect, expression);
    expect(refused).toThrow(InvalidScheduleError);
    expect(refused).toThrow(message);
  });
});
