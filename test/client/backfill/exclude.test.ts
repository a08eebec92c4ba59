import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { ExclusionError } from '../../../index';
import { patient } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const policies = { overlap: 'ALLOW_ALL' } as const;

async function settle(time: string): Promise<void> {
  ledger().clock.set(time);
  await (await ledger().trigger()).passes.claim();
}

const hours = (times: Date[]) => times.map((time) => time.getUTCHours());

describe('exclude', () => {
  it('has a coming occurrence not fire, says who asked, and leaves it out of the next times', async () => {
    const handle = await ledger().client.create(someSchedule({ policies }));
    await handle.exclude(new Date('2026-03-01T02:00:00Z'));
    await handle.exclude(new Date('2026-03-01T02:00:00Z'));
    expect(hours(await handle.nextTimes(3))).toEqual([1, 3, 4]);
    expect(hours((await handle.describe()).info.nextActionTimes).slice(0, 3)).toEqual([1, 3, 4]);
    await settle('2026-03-01T03:00:00Z');
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 catchup claimed',
      '03-01T02:00:00 schedule skipped excluded',
      '03-01T03:00:00 schedule claimed',
    ]);
    expect(await ledger().query(`select actor from escapement.firings where reason = 'excluded'`)).toEqual([
      { actor: 'test' },
    ]);
  });

  it('is part of the caller’s transaction, as include is', async () => {
    const { scheduleId } = await ledger().client.create(someSchedule({ policies }));
    const handle = ledger().client.getHandle(scheduleId);
    const transaction = new Client({ connectionString: ledger().databaseUrl });
    await transaction.connect();
    ledger().beforeClose(() => transaction.end());
    await transaction.query('begin');
    await handle.exclude('2026-03-01T01:00:00Z', { transaction });
    await handle.exclude('2026-03-01T02:00:00Z', { transaction });
    await handle.include('2026-03-01T02:00:00Z', { transaction });
    expect(hours(await handle.nextTimes(2))).toEqual([1, 2]);
    await transaction.query('commit');
    expect(hours(await handle.nextTimes(2))).toEqual([2, 3]);
    await transaction.query('begin');
    await handle.include('2026-03-01T01:00:00Z', { transaction });
    await transaction.query('rollback');
    expect(hours(await handle.nextTimes(2))).toEqual([2, 3]);
  });

  it('is taken back by include while the occurrence is still ahead', async () => {
    const handle = await ledger().client.create(someSchedule({ policies }));
    await handle.exclude('2026-03-01T01:00:00Z');
    await handle.include('2026-03-01T01:00:00Z');
    expect(hours(await handle.nextTimes(2))).toEqual([1, 2]);
    await settle('2026-03-01T01:00:00Z');
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
  });

  it('reads local times in the schedule’s zone', async () => {
    const spec = { cron: '0 2 * * *', timezone: 'Europe/Berlin' };
    const handle = await ledger().client.create(someSchedule({ spec }));
    await handle.exclude('2026-03-02 02:00');
    expect((await handle.nextTimes(2)).map((time) => time.toISOString())).toEqual([
      '2026-03-01T01:00:00.000Z',
      '2026-03-03T01:00:00.000Z',
    ]);
  });

  it('refuses what is no occurrence, and says the two nearest', async () => {
    const spec = { cron: '0 2 * * *', timezone: 'Europe/Berlin' };
    const handle = await ledger().client.create(someSchedule({ spec }));
    const attempt = handle.exclude('2026-03-02T12:00:00Z');
    await expect(attempt).rejects.toBeInstanceOf(ExclusionError);
    await expect(attempt).rejects.toMatchObject({
      problem: 'not_an_occurrence',
      nearest: { before: new Date('2026-03-02T01:00:00Z'), after: new Date('2026-03-03T01:00:00Z') },
      message:
        `Mon 2026-03-02 13:00:00 +01:00 of schedule '${handle.scheduleId}' is not an occurrence; ` +
        'the nearest are Mon 2026-03-02 02:00:00 +01:00 and Tue 2026-03-03 02:00:00 +01:00',
    });
  });

  it('refuses what is not ahead any more, and include what was not excluded or is too late', async () => {
    const handle = await ledger().client.create(someSchedule({ policies }));
    await handle.exclude('2026-03-01T01:00:00Z');
    await expect(handle.include('2026-03-01T02:00:00Z')).rejects.toMatchObject({ problem: 'not_excluded' });
    ledger().clock.set('2026-03-01T02:30:00Z');
    await expect(handle.exclude('2026-03-01T02:00:00Z')).rejects.toMatchObject({
      problem: 'too_late',
      message: expect.stringMatching(/ can no longer be excluded: it is due, or was planned ahead$/),
    });
    await expect(handle.include('2026-03-01T01:00:00Z')).rejects.toMatchObject({
      problem: 'too_late',
      message: expect.stringMatching(/ can no longer be included: it is due, or was planned ahead$/),
    });
    await settle('2026-03-01T03:00:00Z');
    // The clock of this client is slow, but an answered occurrence stays answered.
    ledger().clock.set('2026-03-01T00:50:00Z');
    await expect(handle.include('2026-03-01T01:00:00Z')).rejects.toMatchObject({ problem: 'too_late' });
    await expect(handle.exclude('2026-03-01T02:00:00Z')).rejects.toMatchObject({ problem: 'has_firing' });
    await expect(handle.exclude('tomorrow')).rejects.toMatchObject({ path: 'time' });
    await expect(handle.exclude('2026-02-30T00:00:00Z')).rejects.toMatchObject({ path: 'time' });
  });

  it('survives an update that keeps the occurrence, and not one that drops it', async () => {
    const handle = await ledger().client.create(someSchedule({ policies }));
    await handle.exclude('2026-03-01T01:00:00Z');
    await handle.exclude('2026-03-01T02:00:00Z');
    await handle.update((previous) => ({ ...previous, spec: { cron: '0 */2 * * *' } }));
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T02:00:00 schedule skipped excluded']);
  });

  it('survives a day of a calendar that is put by mistake and taken back, also if the action changes in between', async () => {
    const { client } = ledger();
    await client.calendars.put('holidays', { days: ['2026-12-25'] });
    const spec = { cron: '0 * * * *', skipDays: ['holidays'], startAt: new Date('2026-01-01T00:00:00Z') };
    const handle = await client.create(someSchedule({ policies, spec }));
    await handle.exclude('2026-03-01T02:00:00Z');
    await client.calendars.put('holidays', { days: ['2026-03-01'] });
    await handle.update((previous) => ({ ...previous, spec, action: { ...previous.action, args: ['other'] } }));
    await client.calendars.put('holidays', { days: ['2026-12-25'] });
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T02:00:00 schedule skipped excluded']);
    expect(hours(await handle.nextTimes(2))).toEqual([1, 3]);
  });

  it('ends with the schedule: one that is created again under the ID fires', async () => {
    const { client } = ledger();
    const options = someSchedule({ policies });
    const handle = await client.create(options);
    await handle.exclude('2026-03-01T01:00:00Z');
    await handle.delete();
    await client.create(options);
    await settle('2026-03-01T01:00:00Z');
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
  });

  it('that a trigger has passed ahead of its time ends with the definition, and with the schedule', async () => {
    const { client } = ledger();
    const options = someSchedule({ policies });
    const [changed, again] = [await client.create(options), await client.create({ ...options, scheduleId: 'again' })];
    for (const handle of [changed, again]) await handle.exclude('2026-03-01T01:00:00Z');
    // As after a hand-over ahead of a burst.
    await ledger().query(`update escapement.timers set answered_to = '2026-03-01T01:00Z'`);
    await expect(changed.include('2026-03-01T01:00:00Z')).rejects.toMatchObject({ problem: 'too_late' });
    await changed.update((previous) => ({ ...previous, spec: { cron: '0 */2 * * *' } }));
    expect(await ledger().answers(changed.scheduleId)).toEqual([]);
    await again.delete();
    await client.create({ ...options, scheduleId: 'again' });
    await settle('2026-03-01T01:00:00Z');
    expect(await ledger().answers('again')).toEqual(['03-01T01:00:00 schedule claimed']);
  });

  it('racing with the claim of the occurrence is either refused or kept', async () => {
    const { client, clock } = ledger();
    const handles = await Promise.all(Array.from({ length: 20 }, () => client.create(someSchedule({ policies }))));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    const early = ledger().newClient({ ...patient(ledger()), now: () => new Date('2026-03-01T00:59:59Z') });
    const excluded = await Promise.all([
      ...handles.map((handle) =>
        early
          .getHandle(handle.scheduleId)
          .exclude('2026-03-01T01:00:00Z')
          .then(() => true)
          .catch((error) => {
            if (!(error instanceof ExclusionError)) throw error;
            return false;
          }),
      ),
      trigger.passes.claim().then(() => true),
    ]);
    await trigger.passes.claim();
    for (const [index, handle] of handles.entries()) {
      expect(await ledger().answers(handle.scheduleId)).toEqual([
        `03-01T01:00:00 schedule ${excluded[index] ? 'skipped excluded' : 'claimed'}`,
      ]);
    }
  });
});
