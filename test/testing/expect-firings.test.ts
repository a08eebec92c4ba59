import { AssertionError } from 'node:assert';
import { expect, it } from 'vitest';
import type { Firing } from '../../index';
import { expectFirings } from '../../testing';

const firing = (instant: string, changes: Partial<Firing> = {}) =>
  ({
    scheduleId: 's',
    scheduledTime: new Date(instant),
    kind: 'schedule',
    state: 'closed',
    outcome: 'completed',
    reason: null,
    ...changes,
  }) as Firing;

it('expectFirings shows kind, outcome and reason, and the date where the answers are of several days', () => {
  const overlap = { state: 'skipped', outcome: null, reason: 'overlap' } as const;
  const first = firing('2026-03-28T01:00:00Z');
  expectFirings([first, firing('2026-03-28T02:00:00Z', overlap)], { timezone: 'Europe/Berlin' }).toBe([
    '02:00 completed',
    '03:00 skipped (overlap)',
  ]);
  const day = { from: new Date('2026-03-29T00:00:00Z'), to: new Date('2026-03-29T01:00:00Z') };
  const gap = { scheduleId: 's', ...day, count: 2, reason: 'paused' };
  expectFirings([firing('2026-03-28T01:00:00.001Z', { kind: 'manual', outcome: 'failed' }), gap]).toBe([
    '2026-03-28 01:00 manual failed',
    '2026-03-29 00:00..2026-03-29 01:00 gap of 2 (paused)',
  ]);
});

it('expectFirings names the lines that differ', () => {
  const check = () =>
    expectFirings([firing('2026-03-28T01:00:00Z'), firing('2026-03-28T03:00:00Z')]).toBe([
      '01:00 completed',
      '02:00 completed',
    ]);
  expect(check).toThrow(AssertionError);
  expect(check).toThrow('  01:00 completed\n- 02:00 completed\n+ 03:00 completed');
});

it('expectFirings shows what differs among very many lines, and takes little memory for it', () => {
  const hours = (count: number, from: number) =>
    Array.from({ length: count }, (_, hour) => firing(new Date(from + hour * 3_600_000).toISOString()));
  const message = (actual: Firing[], expected: Firing[]): string => {
    const lines = expected.map(
      ({ scheduledTime }) => `${scheduledTime.toISOString().slice(0, 16).replace('T', ' ')} completed`,
    );
    try {
      expectFirings(actual).toBe(lines);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('passed');
  };
  const [many, others] = [hours(20_000, 0), hours(20_000, 1_800_000)];
  const before = process.memoryUsage().rss;
  const all = message(many, others).split('\n');
  // n × m cells of eight bytes would be three gigabytes.
  expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
  expect(all).toContain('  too many lines differ to be compared one by one');
  expect(all).toContain('- … 19950 more lines');
  expect(all.length).toBeLessThan(120);
  const without = message(many.toSpliced(10_000, 1), many).split('\n');
  expect(without).toHaveLength(2 + 3 + 9);
  expect(without).toContain('  … 9997 lines as expected');
  expect(without.filter((line) => line.startsWith('-'))).toEqual(['- expected', '- 1971-02-21 16:00 completed']);
});
