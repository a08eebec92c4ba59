import { expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import { countDays } from '../../../server/overview/calendar';

const DAY = 86_400_000;

it('a calendar lets other requests be answered in the midst of its days', async () => {
  const intervals = Array.from({ length: 24 }, (_, n) => ({ every: `${61 + 6 * n + (n % 5)}s` as const }));
  const begin = Date.parse('2026-03-01T00:00:00Z');
  const starts = Array.from({ length: 270 }, (_, day) => new Date(begin + day * DAY));
  let isAnswered = false;
  setImmediate(() => {
    isAnswered = true;
  });
  const from = begin + 1.5 * DAY;
  const counts = await countDays(compileSpec({ intervals }, { scheduleId: 'busy' }), starts, from);
  expect(isAnswered).toBe(true);
  expect(counts.slice(0, 3)).toEqual([0, expect.any(Number), expect.any(Number)]);
  expect(counts[1]! / counts[2]!).toBeCloseTo(0.5, 1);
  expect(counts).toHaveLength(269);
});
