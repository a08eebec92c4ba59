import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const LAST_ANSWER = new Date('2026-03-01T01:00:00Z');

/** Schedules with one time. */
async function over(...scheduleIds: string[]) {
  const at = LAST_ANSWER;
  const { client } = ledger();
  return Promise.all(scheduleIds.map((scheduleId) => client.create(someSchedule({ scheduleId, spec: { at } }))));
}

/** Answer that time, and leave the timers as triggers of an older version did. */
const asOlderTriggers = () =>
  ledger().query(`update escapement.timers set completed_at = null, completed_by = null, next_fire_at = null,
    wake_at = 'infinity', answered_to = '2026-03-01T01:00:00Z'`);

const completed = async () => {
  const rows = await ledger().query('select schedule_id, completed_at from escapement.timers order by 1');
  return rows.flatMap(({ schedule_id, completed_at }) => (completed_at ? [[schedule_id, completed_at]] : []));
};
const sweep = async () => (await ledger().trigger()).passes.sweep();

describe('a sweep', () => {
  it('completes schedules that an older trigger has finished, since their last answer, however many they are', async () => {
    const ids = Array.from({ length: 41 }, (_, index) => `over-${String(index).padStart(2, '0')}`);
    await over(...ids);
    await asOlderTriggers();
    await sweep();
    expect(await completed()).toEqual(ids.map((id) => [id, LAST_ANSWER]));
    expect((await ledger().client.getHandle('over-07').describe()).state).toMatchObject({ completed: true });
  });

  it.each([
    ['is paused', `update escapement.schedules set paused = true where schedule_id = 'kept'`],
    ['is set aside', `update escapement.schedules set spec_error = 'unknown zone' where schedule_id = 'kept'`],
    ['is deleted', `update escapement.schedules set deleted_at = now() where schedule_id = 'kept'`],
    ['fires only by hand', `update escapement.schedule_versions set spec = '{}' where schedule_id = 'kept'`],
    ['has a damaged spec', `update escapement.schedule_versions set spec = '"at"' where schedule_id = 'kept'`],
    ['has a further time', `update escapement.timers set answered_to = '2026-03-01T00:59Z' where schedule_id = 'kept'`],
    ['wakes', `update escapement.timers set wake_at = '2026-03-02Z' where schedule_id = 'kept'`],
  ])('leaves a schedule alone that %s', async (_, change) => {
    await over('kept', 'over');
    await asOlderTriggers();
    await ledger().query(change);
    await sweep();
    expect(await completed()).toEqual([['over', LAST_ANSWER]]);
  });

  it('leaves a schedule that somebody keeps locked to the next one, and completes the others', async () => {
    await over('kept', 'over');
    await asOlderTriggers();
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    ledger().beforeClose(() => holder.end());
    await holder.query('begin');
    await holder.query(`select from escapement.timers where schedule_id = 'kept' for update`);
    await sweep();
    expect(await completed()).toEqual([['over', LAST_ANSWER]]);
    await holder.query('rollback');
    await sweep();
    expect(await completed()).toHaveLength(2);
  });
});
