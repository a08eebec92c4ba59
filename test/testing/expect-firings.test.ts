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
