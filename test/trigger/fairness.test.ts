import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('one tenant’s many due schedules delay another’s one by no more than a batch', async () => {
  const { client, clock } = ledger();
  const create = (scheduleId: string, tenant: string) => client.create(someSchedule({ scheduleId, tenant }));
  for (let index = 0; index < 30; index++) await create(`big-${String(index).padStart(2, '0')}`, 'big');
  await create('small', 'small');
  const trigger = await ledger().trigger({ limits: { batchSize: 3 } });
  const all = async () => {
    const claimed: string[] = [];
    for (let more = true; more; ) {
      const pass = await trigger.passes.claim();
      claimed.push(...pass.claimed.map(({ scheduleId }) => scheduleId));
      more = pass.more;
    }
    return claimed;
  };
  await all();
  clock.set('2026-03-01T01:00:00Z');
  const claimed = await all();
  expect(claimed.indexOf('small')).toBeLessThan(6);
  expect(new Set(claimed).size).toBe(31);
  expect(claimed).toHaveLength(31);
});

it('a schedule whose registration was committed late is found, however long ago it was due', async () => {
  const { client, clock } = ledger();
  clock.set(new Date().toISOString());
  const trigger = await ledger().trigger();
  const running = trigger.run();
  const { scheduleId } = await client.create(someSchedule());
  const wakesAt = async () =>
    (await ledger().query<{ wake_at: Date }>('select wake_at from escapement.timers where wake_at > now()'))[0]
      ?.wake_at;
  await expect.poll(wakesAt).toBeDefined();
  const settled = await wakesAt();
  // As the commit of a transaction that was open for an hour makes it appear.
  await ledger().query(
    `update escapement.timers set wake_at = now() - interval '1 hour', seq = seq + 1 where schedule_id = $1`,
    [scheduleId],
  );
  await expect.poll(wakesAt).toEqual(settled);
  trigger.shutdown();
  await running;
});
