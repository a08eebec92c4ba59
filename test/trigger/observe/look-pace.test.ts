import { expect, it } from 'vitest';
import { LookPace } from '../../../trigger/observe/look-pace';

const NOW = Date.UTC(2026, 2, 1);

/** A page of looks that were due just now. */
function page(length: number, { lateMilliseconds = 0, isAwaited = false } = {}) {
  return Array.from({ length }, () => ({ dueAt: new Date(NOW - lateMilliseconds), isAwaited }));
}

const nothing = { closed: 0, unanswered: 0, now: NOW };

it('looks of which a quarter find an end are followed by others at once, and by more', () => {
  const pace = new LookPace({ batchSize: 500 });
  expect(pace.after({ ...nothing, open: page(100), closed: 25 })).toBe(true);
  expect(pace.size).toBe(200);
  expect(pace.after({ ...nothing, open: page(200), closed: 49 })).toBe(false);
  expect(pace.size).toBe(100);
});

it('looks that have fallen behind are followed by others at once', () => {
  const pace = new LookPace({ batchSize: 500 });
  expect(pace.after({ ...nothing, open: page(100, { lateMilliseconds: 60_001 }) })).toBe(true);
  expect(pace.after({ ...nothing, open: page(200, { lateMilliseconds: 60_000 }) })).toBe(false);
});

it('looks do not slow down while somebody waits for an end', () => {
  const pace = new LookPace({ batchSize: 500 });
  expect(pace.after({ ...nothing, open: [...page(99), ...page(1, { isAwaited: true })] })).toBe(true);
  expect(pace.after({ ...nothing, open: page(200), now: NOW + 4_000 })).toBe(true);
  expect(pace.after({ ...nothing, open: page(400, { lateMilliseconds: -2_000 }), now: NOW + 6_000 })).toBe(false);
});

it('a namespace that does not answer slows down the looks at no other', () => {
  const pace = new LookPace({ batchSize: 500 });
  expect(pace.after({ ...nothing, open: page(100), unanswered: 60, closed: 10 })).toBe(true);
  expect(pace.after({ ...nothing, open: page(200), unanswered: 200 })).toBe(false);
});

it('a page that is not full is followed by none', () => {
  const pace = new LookPace({ batchSize: 500 });
  expect(pace.after({ ...nothing, open: page(99), closed: 99 })).toBe(false);
  expect(pace.after({ ...nothing, open: [] })).toBe(false);
});
