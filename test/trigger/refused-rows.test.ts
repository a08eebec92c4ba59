import { describe, expect, it } from 'vitest';
import { byHalves } from '../../trigger/by-halves';
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

it.each([
  ['is refused', '23503'],
  ['is locked, since each search for it holds up the others,', '55P03'],
])('a row that always %s is tried less and less often, at least once a minute', (_, code) => {
  expect(pauses(code, 6)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

it('once a missing right is given, its schedule continues within five seconds, however long that took', () => {
  expect(pauses('42501', 4)).toEqual([5_000, 5_000, 5_000, 5_000]);
});

it('each refused row is logged if any row of its batch is written, however many were refused before', async () => {
  const logger = new MemoryLogger();
  const aside = new RefusedRows(
    logger,
    () => 0,
    () => [],
  );
  const batch = Array.from({ length: 32 }, (_, index) => ({ scheduleId: `${index}` }));
  const write = async (part: { scheduleId: string }[]) => {
    if (part.some(({ scheduleId }) => scheduleId !== '20'))
      throw Object.assign(new Error('refused'), { code: '23503' });
  };
  await byHalves({ aside, stopping: new AbortController().signal }, 'the claim', batch, write);
  const said = logger.lines.map(({ meta }) => meta.scheduleId);
  expect(said.sort()).toEqual(batch.flatMap(({ scheduleId }) => (scheduleId === '20' ? [] : [scheduleId])).sort());
});

describe('a schedule of which Postgres refuses one row and accepts others', () => {
  const times = ['2026-03-01T01:00:00Z', '2026-03-01T02:00:00Z', '2026-03-01T03:00:00Z'];
  const batch = times.map((time) => ({ scheduleId: 'a', scheduledTime: new Date(time) }));

  it.each([0, 1, 2])('is left out, and not said to work again, if row %i is refused', async (which) => {
    const logger = new MemoryLogger();
    let now = 0;
    const aside = new RefusedRows(
      logger,
      () => now,
      () => [],
    );
    const context = { aside, stopping: new AbortController().signal };
    const write = async (part: typeof batch) => {
      if (part.includes(batch[which]!)) throw Object.assign(new Error('refused'), { code: '23503' });
    };
    for (const pause of [5_000, 10_000]) {
      await byHalves(context, 'the claim', batch, write);
      now += pause - 1;
      expect(aside.has('the claim', 'a')).toBe(true);
      now += 1;
      expect(aside.has('the claim', 'a')).toBe(false);
    }
    expect(logger.messages()).toEqual(['the claim of a schedule failed, and the others continue; trying again']);
    await byHalves(context, 'the claim', batch, async () => {});
    expect(logger.messages().slice(1)).toEqual(['the claim of the schedule works again']);
  });
});

it('a row that was only passed over, as its schedule was locked, does not count as accepted', async () => {
  const logger = new MemoryLogger();
  const aside = new RefusedRows(
    logger,
    () => 0,
    () => [],
  );
  const rows = [{ scheduleId: 'locked' }, { scheduleId: 'free' }];
  for (const row of rows) aside.put('the claim', row, Object.assign(new Error('refused'), { code: '23503' }));
  const write = async () => ({ held: rows.slice(0, 1) });
  const context = { aside, stopping: new AbortController().signal };
  await byHalves(context, 'the claim', rows, write, ({ held }, part) => part.filter((row) => !held.includes(row)));
  expect(rows.map(({ scheduleId }) => aside.has('the claim', scheduleId))).toEqual([true, false]);
});
