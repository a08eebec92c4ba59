import { expect, it } from 'vitest';
import { RefusedRows } from '../../trigger/refused-rows';
import { MemoryLogger } from '../support/logger';

/** How many milliseconds a schedule is left out, each time that Postgres refuses it with this error. */
function pauses(code: string, tries: number): number[] {
  let now = 0;
  const aside = new RefusedRows(
    new MemoryLogger(),
    () => now,
    () => [],
  );
  return Array.from({ length: tries }, () => {
    const from = now;
    aside.put('the claim', { scheduleId: 'a' }, Object.assign(new Error('refused'), { code }));
    while (aside.has('the claim', 'a')) now += 500;
    return now - from;
  });
}

it('a row that stays refused is tried less and less often, at least once a minute', () => {
  expect(pauses('23503', 6)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

it.each([
  ['a lock is gone', '55P03'],
  ['a missing right is given', '42501'],
])('once %s, its schedule continues within five seconds, however long that took', (_, code) => {
  expect(pauses(code, 4)).toEqual([5_000, 5_000, 5_000, 5_000]);
});
