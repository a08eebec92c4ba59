import { describe, expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('one tenant’s many firings delay another’s one by no more than a round of turns', async () => {
  const { client, clock, log } = ledger();
  const create = (scheduleId: string, tenant: string) => client.create(someSchedule({ scheduleId, tenant }));
  for (let index = 0; index < 30; index++) await create(`big-${String(index).padStart(2, '0')}`, 'big');
  await create('small', 'small');
  const trigger = await ledger().trigger({ limits: { startBatchSize: 3 } });
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 3, more: true });
  const linked = log.lines.filter(({ message }) => message === 'linked').map(({ meta }) => meta.scheduleId);
  expect(linked).toContain('small');
});

it('a schedule whose registration was committed late is found, however long ago it was due', async () => {
  const { client, clock } = ledger();
  clock.set(new Date().toISOString());
  const trigger = await ledger().trigger();
  const running = trigger.run();
  // Not due by the database's own clock while this runs.
  const { scheduleId } = await client.create(someSchedule({ spec: { cron: '0 0 1 1 *' } }));
  const wakesAt = async () =>
    (await ledger().query<{ wake_at: Date }>('select wake_at from escapement.timers where wake_at > now()'))[0]
      ?.wake_at;
  await expect.poll(wakesAt).toBeDefined();
  const settled = await wakesAt();
  // Looks like the commit of a transaction that was open for an hour.
  await ledger().query(
    `update escapement.timers set wake_at = now() - interval '1 hour', seq = seq + 1 where schedule_id = $1`,
    [scheduleId],
  );
  await expect.poll(wakesAt).toEqual(settled);
  trigger.shutdown();
  await running;
});

it('what is due just now goes before what was missed in an outage', async () => {
  const { client, clock } = ledger();
  const create = (scheduleId: string, cron: string) =>
    client.create(someSchedule({ scheduleId, spec: { cron }, policies: { overlap: 'ALLOW_ALL' } }));
  for (let index = 0; index < 30; index++) await create(`missed-${String(index).padStart(2, '0')}`, '0 1 * * *');
  await create('now', '0 2 * * *');
  const trigger = await ledger().trigger({ limits: { batchSize: 3 } });
  for (let more = true; more; ) more = (await trigger.passes.claim()).more;
  clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  expect((await trigger.passes.claim()).claimed.map(({ scheduleId }) => scheduleId)).toContain('now');
});

describe('what was missed of schedules of which one pass takes only a part', () => {
  const limits = { batchSize: 3, firingsPerScheduleAndPass: 1, startsPerSecondAssumed: 1 };
  /** A hundred schedules, four of the longest pages, that have missed seven firings each and have had a turn. */
  async function behind() {
    const { client, clock } = ledger();
    const create = (scheduleId: string, cron: string) =>
      client.create(someSchedule({ scheduleId, spec: { cron }, policies: { overlap: 'ALLOW_ALL' } }));
    for (let index = 0; index < 100; index++) await create(`missed-${String(index).padStart(2, '0')}`, '0 * * * *');
    const trigger = await ledger().trigger({ limits });
    for (let more = true; more; ) more = (await trigger.passes.claim()).more;
    clock.set('2026-03-01T07:00:30Z');
    for (let pass = 0; pass < 8; pass++) await trigger.passes.claim();
    const claimed = async () => (await trigger.passes.claim()).claimed.map(({ scheduleId }) => scheduleId);
    return { clock, create, claimed };
  }

  it('lets what comes due go before it', async () => {
    const { clock, create, claimed } = await behind();
    await create('now', '35 0 7 * * *');
    await claimed();
    clock.set('2026-03-01T07:00:35Z');
    expect(await claimed()).toContain('now');
  });

  it('lets what comes due soon be handed over ahead', async () => {
    const { create, claimed } = await behind();
    for (const scheduleId of ['soon-1', 'soon-2', 'soon-3']) await create(scheduleId, '35 0 7 * * *');
    // The first pass plans the burst, and the second finds that it takes longer to start than the remaining time.
    await claimed();
    expect(await claimed()).toEqual(expect.arrayContaining(['soon-1', 'soon-2', 'soon-3']));
  });

  it('is taken at once, pass by pass, each schedule in its turn', async () => {
    const { client, clock } = ledger();
    for (const scheduleId of ['a', 'b']) {
      await client.create(someSchedule({ scheduleId, policies: { overlap: 'ALLOW_ALL' } }));
    }
    const trigger = await ledger().trigger({ limits: { firingsPerScheduleAndPass: 1 } });
    await trigger.passes.claim();
    clock.set('2026-03-01T03:00:30Z');
    for (const more of [true, true, false]) {
      const pass = await trigger.passes.claim();
      expect(pass).toMatchObject({ more, complete: !more });
      expect(pass.claimed.map(({ scheduleId }) => scheduleId).sort()).toEqual(['a', 'b']);
    }
  });
});
