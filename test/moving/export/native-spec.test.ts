import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextOccurrences } from '../../../core/occurrences';
import type { ScheduleSpec } from '../../../core/schedule/spec';
import { nativeSpec } from '../../../moving/export/native-spec';

const NOW = Date.parse('2026-11-24T12:34:56Z');
const times = (spec: ScheduleSpec, after = NOW) => nextOccurrences(spec, { after: new Date(after), count: 200 });

describe('a spec in Temporal’s parts alone', () => {
  it.each([
    ...['0 2 * * *', '*/7 3-9/2 * * MON-FRI', '30 4 1,15 * *', '0 0 13 * FRI', '0 0 */10 * 0', '0 22 * * fri-mon'],
    ...['0 22 * * 5-7', '15 0 0 * JAN,jul *', '0 0 0 1 1 * 2027-2040/3', '@weekdays', '@weekends', '@minutely'],
    ...[
      '@secondly',
      '@daily',
      '@hourly',
      '0 0 ? * sunday',
      '0 0 * * */2',
      '0 0 * * 1/2',
      '0 0 * * 7/2',
      '0 0 * * sun/3',
      '5/20 * 31 * 3,4',
      '0 0 1 * */1',
      '0 0 15 * ?/1',
      '0 0 15 * *,1',
    ],
  ])('%s fires at the same times', (cron) => {
    const { spec, notes } = nativeSpec({ cron }, 'one', NOW);
    expect(Object.keys(spec)).not.toContain('cron');
    expect(times(spec as ScheduleSpec)).toEqual(times({ cron }));
    expect(notes).toEqual([]);
  });

  it.each([
    ...[
      '0 0 L * *',
      '0 0 15W * *',
      '0 0 LW * *',
      '0 0 L-3 * *',
      '0 0 * * 5L',
      '0 0 * * FRI#2',
      '0 0 * * FRIL',
      '0 0 * * FridayL',
      'H 2 * * *',
      '0 H(0-3) * * *',
    ],
    ...['0 22-2 * * *'],
  ])('%s is refused', (cron) => {
    expect(() => nativeSpec({ cron }, 'one', NOW)).toThrow(/spec.cron/);
  });

  it.each([{ skipDays: ['2026-12-25'] }, { onlyDays: ['2026-12-25'] }])('named days are refused: %o', (days) => {
    const [path] = Object.keys(days);
    expect(() => nativeSpec({ cron: '0 2 * * *', ...days }, 'one', NOW)).toThrow(`spec.${path}: Temporal has no named`);
  });

  it('is never other times than those of the vectors of other projects, unless it is refused or says so', () => {
    const vectors: { expr: string; tz: string; from: string }[] = readFileSync(
      join(__dirname, '../../vectors/cron.jsonl'),
      'utf8',
    )
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    let compared = 0;
    for (const { expr, tz, from } of vectors) {
      const given = { cron: expr, timezone: tz };
      let native: ReturnType<typeof nativeSpec>;
      try {
        native = nativeSpec(given, 'one', Date.parse(from));
      } catch {
        continue;
      }
      if (native.notes.length > 0) continue;
      expect([expr, times(native.spec as ScheduleSpec, Date.parse(from))]).toEqual([
        expr,
        times(given, Date.parse(from)),
      ]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(60);
  });

  it('says where the clock makes a difference, and takes an anchor for an offset', () => {
    const { notes } = nativeSpec({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }, 'one', NOW);
    expect(notes).toEqual([expect.stringContaining('first at 2027-03-28T01:00:00.000Z')]);
    const anchored = { intervals: [{ every: '7h', offset: '1h', anchor: new Date('2026-01-01T00:20:00Z') }] } as const;
    const { spec } = nativeSpec(anchored as never, 'one', NOW);
    expect(times(spec as ScheduleSpec)).toEqual(times(anchored as never));
  });

  it.each([
    { every: 90_500, anchor: new Date('2026-11-20T12:00:00Z') },
    { every: 90_500, offset: 90_200, anchor: new Date('1970-01-02T12:00:01Z') },
    { every: 90_500, offset: 90_200 },
  ])('keeps the times of an interval with a fraction of a second: %o', (interval) => {
    const given = { intervals: [interval] } as ScheduleSpec;
    const { spec, notes } = nativeSpec(given, 'one', NOW);
    expect(times(spec as ScheduleSpec)).toEqual(times(given));
    expect(notes).toEqual([]);
  });
});
