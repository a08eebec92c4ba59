import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** An hourly schedule that was cut over after 03:00. Of 04:00 nothing is known. */
async function cutOver() {
  const handle = await ledger().client.create(
    someSchedule({ scheduleId: 'moved', policies: { overlap: 'ALLOW_ALL' } }),
  );
  await ledger().query(`insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
    values ('moved', '2026-03-01T01:00Z', '2026-03-01T03:00Z', 3, 'native', '2026-03-01T03:30Z')`);
  await ledger().query(`update escapement.timers set answered_to = '2026-03-01T04:30Z'`);
  ledger().clock.set('2026-03-01T04:40:00Z');
  return handle;
}

const range = { start: '2026-03-01T01:00:00Z', end: '2026-03-01T04:00:00Z' };

it("a backfill leaves out what was left to Temporal's own schedule, unless it may fire again", async () => {
  const handle = await cutOver();
  const done = { occurrences: 4, filled: 1, alreadyFired: 0, leftToNative: 3 };
  expect(await handle.backfill({ ...range, dryRun: true })).toMatchObject(done);
  expect(await handle.backfill(range)).toMatchObject(done);
  const refired = { ...range, refire: true };
  expect(await handle.backfill({ ...refired, dryRun: true })).toMatchObject({ filled: 3 });
  const again = await handle.backfill(refired);
  expect(again).toMatchObject({ filled: 3, alreadyFired: 1 });
  expect(again).not.toHaveProperty('leftToNative');
  // By now all of them have a firing here.
  const fired = { filled: 0, alreadyFired: 4 };
  for (const result of [await handle.backfill({ ...range, dryRun: true }), await handle.backfill(range)]) {
    expect(result).toMatchObject(fired);
    expect(result).not.toHaveProperty('leftToNative');
  }
});

it('a dry run of several ranges says what the run does, also where an earlier range fires again', async () => {
  const handle = await cutOver();
  const ranges = [{ ...range, end: '2026-03-01T02:00:00Z', refire: true }, range, { ...range, refire: true }, range];
  const planned = await handle.backfill(ranges.map((one) => ({ ...one, dryRun: true })));
  expect(planned).toMatchObject({ occurrences: 14, filled: 4, alreadyFired: 9, leftToNative: 1 });
  expect(await handle.backfill(ranges)).toEqual(planned);
});

it("what was left to Temporal's own schedule runs again only with confirm", async () => {
  const handle = await cutOver();
  await expect(handle.runAgain('2026-03-01T02:00:00Z')).rejects.toMatchObject({
    problem: 'needs_confirmation',
    message: expect.stringContaining('Temporal’s own schedule'),
  });
  expect(await ledger().firings('moved')).toEqual([]);
  expect(await handle.runAgain('2026-03-01T02:00:00Z', { confirm: true })).toMatchObject({ state: 'buffered' });
  expect(await handle.runAgain('2026-03-01T04:00:00Z')).toMatchObject({ state: 'buffered' });
});

it("explain does not say of what was left to Temporal's own schedule that it did not fire, nor offers to backfill it", async () => {
  const { answer, sentence } = await (await cutOver()).explain('2026-03-01T02:00:00Z');
  expect(answer).toBe('gap');
  expect(sentence).toContain(
    'left to Temporal’s own schedule of this name, and the ledger does not know whether that ran it',
  );
  expect(sentence).not.toMatch(/did not fire|backfill/);
});
