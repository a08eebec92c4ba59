import { describe, expect, it } from 'vitest';
import { type ScheduleNextOptions, scheduleNext } from '../../cli/schedule/schedule-next';
import { InvalidScheduleError } from '../../core/errors';

function run(expression: string, options: ScheduleNextOptions): string {
  let out = '';
  scheduleNext(
    expression,
    options,
    (text) => {
      out += text;
    },
    () => new Date('2026-10-24T12:00:00Z'),
  );
  return out;
}

describe('escapement schedule next', () => {
  it('writes the expression in words and its next times, local and UTC', () => {
    expect(run('0 */2 * * *', { timeZone: 'Europe/Berlin', count: 3, from: '2026-10-25T00:30' })).toBe(
      [
        'On the hour, every 2 hours (Europe/Berlin)',
        'Sun 2026-10-25 02:00:00 +02:00   2026-10-25T00:00:00Z',
        'Sun 2026-10-25 02:00:00 +01:00   2026-10-25T01:00:00Z',
        'Sun 2026-10-25 04:00:00 +01:00   2026-10-25T03:00:00Z',
        '',
      ].join('\n'),
    );
  });
  it('takes an offset for what it says, and a date for its first instant', () => {
    const next = (from: string) =>
      JSON.parse(run('0 2 * * *', { timeZone: 'Asia/Tokyo', count: 1, json: true, from })).next;
    expect(next('2026-11-20T02:00:00+09:00')).toEqual(['2026-11-20T17:00:00.000Z']);
    expect(next('2026-11-20')).toEqual(['2026-11-19T17:00:00.000Z']);
  });
  it('begins now, in UTC, with five times', () => {
    const lines = run('@daily', {}).trim().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[1]).toBe('Sun 2026-10-25 00:00:00 +00:00   2026-10-25T00:00:00Z');
  });
  it('writes JSON', () => {
    expect(JSON.parse(run('TZ=Asia/Tokyo 0 0 13 * FRI', { json: true, count: 1, temporal: true }))).toEqual({
      expression: 'TZ=Asia/Tokyo 0 0 13 * FRI',
      timezone: 'Asia/Tokyo',
      description: 'At 00:00, on day 13 of the month, only on Friday',
      next: ['2026-11-12T15:00:00.000Z'],
    });
  });
  it('leaves out days without asking anybody, where they are dates', () => {
    const lines = run('0 2 * * *', { skipDays: ['2026-10-25', '2026-10-27'], count: 2 })
      .trim()
      .split('\n');
    expect(lines.slice(1).map((line) => line.slice(0, 14))).toEqual(['Mon 2026-10-26', 'Wed 2026-10-28']);
  });
  it.each([
    ['quartz', '0 30 2 * * ?'],
    ['eventbridge', 'cron(30 2 * * ? *)'],
  ] as const)('notes that a time of %s fires once where the clocks change, unless it is literal', (dialect, text) => {
    const once = run(text, { dialect, timeZone: 'Europe/Berlin' });
    expect(once).toContain('fires once here (dst ONCE)');
    const literal = run(text, { dialect, timeZone: 'Europe/Berlin', dst: 'LITERAL' });
    expect(literal).toContain("dst: 'LITERAL'");
    expect(literal).not.toContain('Note:');
    expect(JSON.parse(run(text, { dialect, dst: 'LITERAL', json: true })).notes).toEqual([]);
  });
  it('says when there is no next time', () => {
    expect(run('0 0 30 2 *', {})).toMatch(/\nnever again\n$/);
  });
  it('refuses what is wrong', () => {
    expect(() => run('0 0 32W * *', {})).toThrow(InvalidScheduleError);
    expect(() => run('0 0 * * *', { timeZone: 'Europe/Belin' })).toThrow(/did you mean Europe\/Berlin/);
  });
});
