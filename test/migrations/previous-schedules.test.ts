import { afterAll, describe, expect, it } from 'vitest';
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
