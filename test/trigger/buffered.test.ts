import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a deletion stops what waits, though the name is used again before any trigger looks', async () => {
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
    '03-01T01:00:00 schedule claimed',
    '03-01T02:00:00 schedule skipped schedule_deleted',
    '03-01T02:00:01.001 manual buffered',
  ]);
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
