import { afterAll, describe, expect, it } from 'vitest';
import { DAYS_FORMAT } from '../../store/spec-format';
import { someSchedule, useLedger } from '../support/ledger';
import { previousVersion, triggerOf } from '../support/packages/previous';

const previous = previousVersion();
afterAll(() => previous.remove());
const ledger = useLedger();
const previousTrigger = () => triggerOf(previous, ledger());

describe('a trigger of the version before', () => {
  it.each(['0 9 LW * *', '0 0 9 15W * *', '0 9 1,l-3 * *'])(
    'leaves a schedule alone whose days it cannot read: %s',
    async (cron) => {
      const handle = await ledger().client.create(someSchedule({ spec: { cron } }));
      const late = await ledger().client.create(someSchedule());
      await late.update((previous) => ({ ...previous, spec: { cron } }));
      ledger().clock.set('2026-04-01T12:00:00Z');
      expect((await (await previousTrigger()).passes.claim()).claimed).toEqual([]);
      const own = await ledger().trigger();
      await own.passes.claim();
      expect(await ledger().answers(handle.scheduleId)).not.toEqual([]);
      for (const { scheduleId } of [handle, late]) {
        expect(
          await ledger().query('select spec_error from escapement.schedules where schedule_id = $1', [scheduleId]),
        ).toEqual([{ spec_error: null }]);
      }
    },
  );

  it('leaves a schedule that it has finished to a sweep of this version, which records that, and no alert opens', async () => {
    const { clock } = ledger();
    const actions = { state: { remainingActions: 1 } };
    const limited = await ledger().client.create(someSchedule(actions));
    const ended = await ledger().client.create(someSchedule({ spec: { at: new Date('2026-03-01T01:00:00Z') } }));
    const broken = await ledger().client.create(someSchedule({ scheduleId: 'broken' }));
    const old = await previousTrigger();
    clock.set('2026-03-01T01:00:00Z');
    expect((await old.passes.claim()).claimed).toHaveLength(3);
    await ledger().query(
      `update escapement.timers set next_fire_at = null, wake_at = 'infinity' where schedule_id = 'broken'`,
    );
    const own = await ledger().trigger();
    const open = async () =>
      (await ledger().client.alerts.list())
        .filter(({ condition }) => condition === 'overdue')
        .map((alert) => alert.scheduleId);
    await own.passes.alert();
    clock.set('2026-03-01T01:01:00Z');
    await own.passes.alert();
    expect(await open()).toEqual(['broken']);
    await own.passes.sweep();
    const completed = await ledger().query(
      `select schedule_id from escapement.timers where completed_at = '2026-03-01T01:00:00Z' order by 1`,
    );
    expect(completed.map(({ schedule_id }) => schedule_id)).toEqual([limited.scheduleId, ended.scheduleId].sort());
    await broken.pause();
    await broken.unpause();
    clock.set('2026-03-01T01:02:00Z');
    await own.passes.alert();
    expect(await open()).toEqual([]);
  });
});

it('a completed schedule to which a client of the version before gives more actions is not completed any more', async () => {
  const { clock } = ledger();
  const { scheduleId } = await ledger().client.create(
    someSchedule({ policies: { overlap: 'ALLOW_ALL' }, state: { remainingActions: 1 } }),
  );
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  const completed = async () =>
    (
      await ledger().query('select completed_at, completed_by from escapement.timers where schedule_id = $1', [
        scheduleId,
      ])
    )[0];
  expect(await completed()).toEqual({ completed_at: new Date('2026-03-01T01:00:00Z'), completed_by: null });

  const { EscapementClient } = previous.client;
  const client = new EscapementClient({ connectionString: ledger().databaseUrl, now: () => new Date(clock.now()) });
  ledger().beforeClose(() => client.close());
  await client
    .getHandle(scheduleId)
    .update((before) => ({ ...before, state: { ...before.state, remainingActions: 5 } }));
  clock.set('2026-03-01T02:00:00Z');
  expect((await passes.claim()).claimed).toHaveLength(1);
  expect(await completed()).toEqual({ completed_at: null, completed_by: null });
});

it.each(['0 9 LW * *', '0 9 L-3 * *'])('a pause that ends leaves such days in their form: %s', async (cron) => {
  const handle = await ledger().client.create(someSchedule({ spec: { cron } }));
  const form = async () => (await ledger().query('select spec_format from escapement.timers'))[0]!.spec_format;
  expect(await form()).toBe(DAYS_FORMAT);
  await handle.pause({ until: new Date('2026-03-01T00:10:00Z') });
  expect(await form()).toBe(DAYS_FORMAT);
  ledger().clock.set('2026-03-01T00:10:00Z');
  await (await ledger().trigger()).passes.claim();
  expect(await form()).toBe(DAYS_FORMAT);
  await handle.pause();
  await handle.unpause();
  expect(await form()).toBe(DAYS_FORMAT);
});
