import { expect, it } from 'vitest';
import { announceAll } from '../../../support/announced';
import { someSchedule, useLedger } from '../../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a deletion stops what waits, though the name is used again before any trigger polls', async () => {
  const options = someSchedule({ policies: { overlap: 'BUFFER_ALL' } });
  const handle = await ledger().client.create(options);
  const trigger = await ledger().trigger();
  for (const hour of ['01', '02']) {
    ledger().clock.set(`2026-03-01T${hour}:00:00Z`);
    await trigger.passes.claim();
  }
  ledger().clock.advance(1_000);
  await handle.delete();
  await ledger().client.create(options);
  await ledger().client.getHandle(options.scheduleId).trigger('BUFFER_ALL');
  await trigger.passes.claim();
  expect(await ledger().answers(options.scheduleId)).toEqual([
    '03-01T01:00:00 schedule skipped schedule_deleted',
    '03-01T02:00:00 schedule skipped schedule_deleted',
    '03-01T02:00:01.001 manual claimed',
  ]);
});

it('what waited for its turn is not too late for having waited, where its start is lost', async () => {
  const policies = { overlap: 'BUFFER_ONE', catchupWindow: '1 minute' } as const;
  const handle = await ledger().client.create(someSchedule({ policies }));
  const trigger = await ledger().trigger();
  for (const hour of ['01', '02']) {
    ledger().clock.set(`2026-03-01T${hour}:00:00Z`);
    await trigger.passes.claim();
  }
  ledger().clock.set('2026-03-01T02:09:00Z');
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'completed', closed_at = now() where state = 'claimed'`,
  );
  await ledger().query(`update escapement.timers set wake_at = '2026-03-01T02:09Z', seq = seq + 1`);
  expect((await trigger.passes.claim()).claimed).toHaveLength(1);
  await announceAll(ledger(), trigger);
  ledger().clock.advance(31_000);
  const other = await ledger().trigger();
  expect(await other.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1, abandoned: 0 });
  expect((await ledger().answers(handle.scheduleId))[1]).toBe('03-01T02:00:00 schedule linked');
});

it('what was asked to wait waits for what runs, though its schedule lets everything run at once', async () => {
  const options = someSchedule({ policies: { overlap: 'ALLOW_ALL' } });
  const handle = await ledger().client.create(options);
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  ledger().clock.advance(1_000);
  await handle.trigger('BUFFER_ALL');
  await trigger.passes.claim();
  ledger().clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  expect(await ledger().answers(options.scheduleId)).toEqual([
    '03-01T01:00:00 schedule claimed',
    '03-01T01:00:01.001 manual buffered',
    '03-01T02:00:00 schedule claimed',
  ]);
});
