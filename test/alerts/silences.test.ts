import { describe, expect, it } from 'vitest';
import { alertsOf, closed, running, writeFiring } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');
const REASON = 'a release';

/** Schedules with a firing each that is late from 00:00:30 on. */
async function late(...scheduleIds: string[]): Promise<void> {
  for (const scheduleId of scheduleIds) {
    await ledger().client.create(someSchedule({ scheduleId }));
    const waits = { state: 'claimed', ready_at: '2026-03-01T00:00:00Z' };
    await writeFiring(ledger(), '2026-03-01T00:00:00Z', { schedule_id: scheduleId, ...waits });
  }
  await ledger().query(`update escapement.timers set wake_at = '2026-03-09Z', next_fire_at = '2026-03-09Z'`);
}

const until = (time: string) => new Date(`2026-03-01T${time}Z`);

it('tells nobody of what it is about; what still holds at its end is told then', async () => {
  await late('quiet', 'heard');
  const silence = await ledger().client.alerts.silence({
    scheduleId: 'quiet',
    until: until('01:00:00'),
    reason: REASON,
  });
  expect(silence).toMatchObject({ scheduleId: 'quiet', condition: null, tenant: null, reason: REASON, actor: 'test' });
  const opened = await alertsOf(ledger());
  expect(await opened('2026-03-01T00:00:30Z')).toEqual(['late of heard']);
  expect((await ledger().client.alerts.list()).map(({ scheduleId }) => scheduleId).sort()).toEqual(['heard', 'quiet']);
  expect(await opened('2026-03-01T00:59:59Z')).toEqual([]);
  expect(await opened('2026-03-01T01:00:00Z')).toEqual(['late of quiet']);
  expect(await opened('2026-03-01T01:00:05Z')).toEqual([]);
});

it('tells nobody of what was over before its end, and tells what was told before as resolved', async () => {
  await late('before', 'meanwhile');
  await ledger().client.alerts.silence({ scheduleId: 'meanwhile', until: until('02:00:00'), reason: REASON });
  const opened = await alertsOf(ledger());
  expect(await opened('2026-03-01T00:00:30Z')).toEqual(['late of before']);
  await ledger().client.alerts.silence({ until: until('02:00:00'), reason: REASON });
  for (const schedule_id of ['before', 'meanwhile']) {
    await writeFiring(ledger(), '2026-03-01T00:00:00Z', { schedule_id, ...running('2026-03-01T00:00:40Z') });
  }
  expect(await opened('2026-03-01T00:00:45Z')).toEqual(['late is over']);
  expect(await opened('2026-03-01T02:00:00Z')).toEqual([]);
});

it('holds back reminders, and gives them again once it has ended', async () => {
  await late('known');
  const { passes } = await ledger().trigger();
  const reminded = async (time: string) => {
    ledger().clock.set(`2026-03-01T${time}Z`);
    return (await passes.alert()).reminded.filter(({ condition }) => condition === 'late').length;
  };
  await reminded('00:00:00');
  expect(await reminded('00:00:30')).toBe(0);
  await ledger().client.alerts.silence({ condition: 'late', until: until('06:00:00'), reason: REASON });
  expect(await reminded('04:00:30')).toBe(0);
  expect(await reminded('08:00:30')).toBe(1);
});

it('of a condition is of all schedules, and of others nothing', async () => {
  await late('one', 'other');
  await ledger().client.alerts.silence({ condition: 'late', until: until('02:00:00'), reason: REASON });
  const opened = await alertsOf(ledger());
  await writeFiring(ledger(), '2026-02-28T00:00:00Z', {
    schedule_id: 'one',
    state: 'linked',
    stalled: 'no_worker',
    workflow_id: 'w',
    run_id: 'r',
    linked_at: '2026-02-28T00:00Z',
  });
  expect(await opened('2026-03-01T00:00:30Z')).toEqual(['stalled of one']);
});

it('of more than twenty that end together is told as one', async () => {
  const ids = Array.from({ length: 21 }, (_, index) => `s${index}`);
  await late(...ids);
  const { silenceId } = await ledger().client.alerts.silence({ until: until('02:00:00'), reason: REASON });
  const opened = await alertsOf(ledger());
  expect(await opened('2026-03-01T00:00:30Z')).toEqual([]);
  await ledger().client.alerts.unsilence(silenceId);
  expect(await opened('2026-03-01T00:00:35Z')).toEqual(['late of null']);
  for (const schedule_id of ids) {
    await writeFiring(ledger(), '2026-03-01T00:00:00Z', {
      schedule_id,
      ...closed('completed', '2026-03-01T00:00:40Z'),
    });
  }
  expect((await opened('2026-03-01T00:00:45Z')).length).toBeLessThan(2);
  expect(await opened('2026-03-01T00:00:50Z')).not.toContain('late of null');
});

describe('a silence', () => {
  it('is listed until it has ended, by itself or by a person', async () => {
    const { alerts } = ledger().client;
    const short = await alerts.silence({ until: until('00:10:00'), reason: REASON });
    const long = await alerts.silence({ condition: 'missed', until: until('03:00:00'), reason: 'the bank is closed' });
    expect(await alerts.silences()).toEqual([short, long]);
    ledger().clock.set('2026-03-01T00:10:00Z');
    expect(await alerts.silences()).toEqual([long]);
    expect(await alerts.unsilence(long.silenceId)).toMatchObject({ until: until('00:10:00') });
    expect(await alerts.silences()).toEqual([]);
    await expect(alerts.unsilence(long.silenceId)).rejects.toMatchObject({ name: 'SilenceNotFoundError' });
    await expect(alerts.unsilence('no-uuid')).rejects.toMatchObject({ name: 'SilenceNotFoundError' });
  });

  it('of a tenant’s client is of its schedules alone', async () => {
    await ledger().client.create(someSchedule({ scheduleId: 'theirs', tenant: 'b' }));
    await ledger().client.create(someSchedule({ scheduleId: 'ours', tenant: 'a' }));
    const a = ledger().newClient({ tenant: 'a' }).alerts;
    await a.silence({ until: until('02:00:00'), reason: REASON });
    await expect(a.silence({ scheduleId: 'theirs', until: until('02:00:00'), reason: REASON })).rejects.toMatchObject({
      name: 'ScheduleNotFoundError',
    });
    const ofOther = { scheduleId: 'theirs', tenant: 'another', until: until('02:00:00'), reason: REASON };
    await expect(ledger().client.alerts.silence(ofOther)).rejects.toMatchObject({ path: 'tenant' });
    const waits = { state: 'claimed', ready_at: '2026-03-01T00:00:00Z' };
    for (const schedule_id of ['theirs', 'ours'])
      await writeFiring(ledger(), '2026-03-01T00:00:00Z', { schedule_id, ...waits });
    await ledger().query(`update escapement.timers set wake_at = '2026-03-09Z', next_fire_at = '2026-03-09Z'`);
    const opened = await alertsOf(ledger());
    expect(await opened('2026-03-01T00:00:30Z')).toEqual(['late of theirs']);
  });

  it.each([
    [{ until: until('00:00:00'), reason: REASON }, 'until'],
    [{ until: 'tomorrow', reason: REASON }, 'until'],
    [{ reason: REASON }, 'until'],
    [{ until: until('01:00:00') }, 'reason'],
    [{ until: until('01:00:00'), reason: ' ' }, 'reason'],
    [{ until: until('01:00:00'), reason: REASON, condition: 'lat' }, 'condition'],
    // It is sent without the ledger, so a silence would not mute it.
    [{ until: until('01:00:00'), reason: REASON, condition: 'ledger_unavailable' }, 'condition'],
    [{ until: until('01:00:00'), reason: REASON, schedule: 'x' }, 'schedule'],
  ])('%o is refused by its path, and nothing is written', async (options, path) => {
    await expect(ledger().client.alerts.silence(options as never)).rejects.toMatchObject({
      name: 'InvalidOptionError',
      path,
    });
    expect(await ledger().query('select from escapement.alert_silences')).toEqual([]);
  });
});
