import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ScheduleAlerts } from '../../index';
import { alertsOf, closed, running, writeFiring } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');

/** A schedule with its own rules. Its timer is off, and the test writes its firings. */
async function schedule(scheduleId: string, alerts?: ScheduleAlerts): Promise<void> {
  await ledger().client.create(someSchedule({ scheduleId, policies: alerts ? { alerts } : {} }));
  await ledger().query(
    `update escapement.timers set wake_at = '2026-03-09Z', next_fire_at = '2026-03-09Z' where schedule_id = $1`,
    [scheduleId],
  );
}

const fired = (scheduleId: string, time: string, columns: Record<string, unknown>) =>
  writeFiring(ledger(), time, { schedule_id: scheduleId, ...columns });

describe('late', () => {
  it('opens by the schedule’s own rule, earlier or later than for others, or never', async () => {
    await schedule('early', { late: '10 seconds' });
    await schedule('usual');
    await schedule('patient', { late: '90 seconds' });
    await schedule('never', { late: false });
    const opened = await alertsOf(ledger());
    const waits = { state: 'claimed', ready_at: '2026-03-01T00:00:00Z' };
    for (const id of ['early', 'usual', 'patient', 'never']) await fired(id, '2026-03-01T00:00:00Z', waits);
    expect(await opened('2026-03-01T00:00:09Z')).toEqual([]);
    expect(await opened('2026-03-01T00:00:10Z')).toEqual(['late of early']);
    expect(await opened('2026-03-01T00:00:30Z')).toEqual(['late of usual']);
    expect(await opened('2026-03-01T00:01:30Z')).toEqual(['late of patient']);
    const texts = (await ledger().client.alerts.list()).map(({ text }) => text);
    for (const [id, rule] of [
      ['early', '10 seconds'],
      ['patient', '1 minute 30 seconds'],
    ]) {
      expect(texts).toContain(
        `Schedule '${id}': the firing of 2026-03-01T00:00:00Z was not started ${rule} after it could start.`,
      );
    }
    await ledger()
      .client.getHandle('early')
      .update((one) => ({ ...one, policies: { alerts: { late: '1 hour' } } }));
    expect(await opened('2026-03-01T00:01:35Z')).toEqual(['late is over']);
  });

  it('goes by what the ledger has for all, except schedules that say something else', async () => {
    await schedule('usual');
    await schedule('own', { late: '1 minute' });
    const settings = await ledger().client.settings.set({ alerts: { late: '5 minutes', skipped: false } });
    expect(settings.alerts).toEqual({ late: 300_000, skipped: false });
    const opened = await alertsOf(ledger());
    const waits = { state: 'claimed', ready_at: '2026-03-01T00:00:00Z' };
    for (const id of ['usual', 'own']) await fired(id, '2026-03-01T00:00:00Z', waits);
    expect(await opened('2026-03-01T00:01:00Z')).toEqual(['late of own']);
    expect(await opened('2026-03-01T00:04:59Z')).toEqual([]);
    expect(await opened('2026-03-01T00:05:00Z')).toEqual(['late of usual']);
  });
});

describe('not_done', () => {
  it.each([
    ['runs', running('2026-03-01T00:00:00Z')],
    ['waits for its start', { state: 'claimed', ready_at: '2026-03-01T00:00:00Z' }],
    ['waits for another one', { state: 'buffered' }],
  ])('opens at the deadline of a firing that %s, and its end resolves it', async (_, columns) => {
    await schedule('reports', { notDone: '2 hours', late: false, runningLong: false });
    const opened = await alertsOf(ledger());
    await fired('reports', '2026-03-01T00:00:00Z', columns);
    await fired('reports', '2026-03-01T00:00:01.001Z', { ...columns, kind: 'manual', actor: 'ops' });
    expect(await opened('2026-03-01T01:59:59Z')).toEqual([]);
    expect(await opened('2026-03-01T02:00:00Z')).toEqual(['not_done of reports']);
    expect(await ledger().client.alerts.list()).toMatchObject([
      {
        count: 1,
        text: "Schedule 'reports': the firing of 2026-03-01T00:00:00Z had not ended 2 hours after its time.",
      },
    ]);
    expect(await opened('2026-03-01T02:00:05Z')).toEqual([]);
    await fired('reports', '2026-03-01T00:00:00Z', closed('completed', '2026-03-01T02:00:06Z'));
    expect(await opened('2026-03-01T02:00:10Z')).toEqual(['not_done is over']);
  });

  it('opens of an occurrence that nobody has answered, and its answer resolves it', async () => {
    await schedule('reports', { notDone: '30 seconds' });
    const opened = await alertsOf(ledger());
    await ledger().query(
      `update escapement.timers set wake_at = '2026-03-01T01:00Z', next_fire_at = '2026-03-01T01:00Z'`,
    );
    expect(await opened('2026-03-01T01:00:29Z')).toEqual([]);
    expect(await opened('2026-03-01T01:00:30Z')).toEqual(['not_done of reports']);
    expect(await opened('2026-03-01T01:00:33Z')).toEqual([]);
    await ledger().query(`update escapement.timers set answered_to = next_fire_at`);
    expect(await opened('2026-03-01T01:00:35Z')).toEqual(['not_done is over']);
  });

  it('is not opened of a firing that a freeze keeps waiting, and is over once a freeze does', async () => {
    for (const id of ['frozen', 'free']) await schedule(id, { notDone: '2 hours' });
    const { client } = ledger();
    await client.freezes.create({ scheduleIds: ['frozen'], to: new Date('2026-03-01T05:00:00Z') });
    const opened = await alertsOf(ledger());
    for (const id of ['frozen', 'free']) await fired(id, '2026-03-01T00:00:00Z', { state: 'buffered' });
    expect(await opened('2026-03-01T04:59:59Z')).toEqual(['not_done of free']);
    expect(await opened('2026-03-01T05:00:00Z')).toEqual(['not_done of frozen']);
    await client.freezes.create({ all: true, to: new Date('2026-03-01T06:00:00Z') });
    expect(await opened('2026-03-01T05:00:05Z')).toEqual(['not_done is over', 'not_done is over']);
  });

  it('is opened and ended whatever the filters of the freezes are, and however many', async () => {
    await schedule('free', { notDone: '2 hours' });
    await schedule('frozen', { notDone: '2 hours' });
    // A statement with the conditions of all of them would have more values than Postgres takes.
    const to = new Date('2026-03-01T05:00:00Z');
    await ledger().client.freezes.create({ query: 'version = 0', to });
    await ledger().query(
      `insert into escapement.freezes select (jsonb_populate_record(f, jsonb_build_object('freeze_id', gen_random_uuid(),
        'query', 'version in (0' || repeat(',0', 4980) || ')'))).* from escapement.freezes f, generate_series(1, 14)`,
    );
    await ledger().client.freezes.create({ query: `note is null and scheduleId = 'frozen'`, to });
    const opened = await alertsOf(ledger());
    for (const id of ['frozen', 'free']) await fired(id, '2026-03-01T00:00:00Z', { state: 'buffered' });
    expect(await opened('2026-03-01T02:00:00Z')).toEqual(['not_done of free']);
    await ledger().query(
      `update escapement.firings set state = 'skipped', reason = 'overlap' where schedule_id = 'free'`,
    );
    expect(await opened('2026-03-01T02:00:05Z')).toEqual(['not_done is over']);
  });

  it('is opened of no schedule that has not asked for it', async () => {
    await schedule('usual', { runningLong: false });
    const opened = await alertsOf(ledger());
    await fired('usual', '2026-03-01T00:00:00Z', running('2026-03-01T00:00:00Z'));
    expect(await opened('2026-03-08T00:00:00Z')).toEqual([]);
  });
});

describe('running_long', () => {
  /** Completed firings with these durations in minutes. */
  const completed = async (scheduleId: string, minutes: number[]) => {
    for (const [index, minute] of minutes.entries()) {
      const day = `2026-02-${10 + index}T00`;
      await fired(scheduleId, `${day}:00:00Z`, closed('completed', `${day}:0${minute}:00Z`, `${day}:00:00Z`));
    }
  };

  it('opens after three times as long as the longest of the last ten took, once five have completed', async () => {
    await schedule('usual');
    await schedule('young');
    await completed('usual', [9, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1]);
    await completed('young', [1, 1, 1, 1]);
    const opened = await alertsOf(ledger());
    await fired('usual', '2026-03-01T00:00:00Z', running('2026-03-01T00:00:30Z'));
    await fired('young', '2026-03-01T00:00:00Z', running('2026-03-01T00:00:30Z'));
    expect(await opened('2026-03-01T00:06:00Z')).toEqual([]);
    expect(await opened('2026-03-01T00:07:00Z')).toEqual(['running_long of usual']);
    expect(await ledger().client.alerts.list()).toMatchObject([
      { text: "Schedule 'usual': the workflow of 2026-03-01T00:00:00Z has run for more than 6 minutes." },
    ]);
    await fired('usual', '2026-03-01T00:00:00Z', closed('completed', '2026-03-01T00:07:01Z'));
    expect(await opened('2026-03-01T00:07:05Z')).toEqual(['running_long is over']);
  });

  it('opens by a bound of the schedule’s own, or never', async () => {
    await schedule('bounded', { runningLong: '2 minutes' });
    await schedule('never', { runningLong: false });
    await completed('never', [1, 1, 1, 1, 1]);
    const opened = await alertsOf(ledger());
    for (const id of ['bounded', 'never']) await fired(id, '2026-03-01T00:00:00Z', running('2026-03-01T00:00:00Z'));
    expect(await opened('2026-03-01T00:01:00Z')).toEqual([]);
    expect(await opened('2026-03-01T00:02:00Z')).toEqual(['running_long of bounded']);
    expect(await opened('2026-03-01T09:00:00Z')).toEqual([]);
  });
});

it('started_often opens where a schedule with times was started by hand more often than its rule allows within an hour', async () => {
  await schedule('usual');
  await schedule('own', { startedOften: 12 });
  await schedule('never', { startedOften: false });
  await ledger().client.create(someSchedule({ scheduleId: 'by-hand', spec: {} }));
  const opened = await alertsOf(ledger());
  const start = async (minute: number) => {
    for (const id of ['usual', 'own', 'never', 'by-hand']) {
      const time = `2026-03-01T00:${String(minute).padStart(2, '0')}:00.001Z`;
      await fired(id, time, { ...closed('completed', time), kind: 'manual', actor: 'a program' });
    }
  };
  for (let minute = 1; minute <= 10; minute++) await start(minute);
  expect(await opened('2026-03-01T00:10:30Z')).toEqual([]);
  await start(11);
  expect(await opened('2026-03-01T00:11:30Z')).toEqual(['started_often of usual']);
  expect(await ledger().client.alerts.list()).toMatchObject([
    {
      count: 11,
      text: "Schedule 'usual': it was started 11 times within an hour in addition to its spec, from 2026-03-01T00:01:00.001Z on.",
    },
  ]);
  for (const minute of [12, 13]) await start(minute);
  expect(await opened('2026-03-01T00:13:30Z')).toEqual(['started_often of own']);
  expect(await opened('2026-03-01T01:13:30Z')).toEqual(['started_often is over', 'started_often is over']);
});

it('failing opens after as many as the schedule says, and is over after as many as it says', async () => {
  await schedule('strict', { failing: 1, resolvedAfter: 2 });
  await schedule('never', { failing: false });
  const opened = await alertsOf(ledger());
  for (const id of ['strict', 'never']) {
    await fired(id, '2026-03-01T01:00:00Z', closed('failed', '2026-03-01T01:00:00Z'));
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
       values ($1, $2, '2026-03-01T01:00Z', 0, 'workflow', 'resolved', 'failed', 'default', '2026-03-01T01:00Z', '2026-03-01T01:00Z')`,
      [randomUUID(), id],
    );
  }
  expect(await opened('2026-03-01T01:00:05Z')).toEqual(['failing of strict']);
  await fired('strict', '2026-03-01T02:00:00Z', closed('completed', '2026-03-01T02:00:00Z'));
  expect(await opened('2026-03-01T02:00:05Z')).toEqual([]);
  await fired('strict', '2026-03-01T03:00:00Z', closed('completed', '2026-03-01T03:00:00Z'));
  expect(await opened('2026-03-01T03:00:05Z')).toEqual(['failing is over']);
});

it('missed is over after as many as the schedule says', async () => {
  await schedule('careful', { resolvedAfter: 2 });
  const opened = await alertsOf(ledger());
  await ledger().query(
    `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
     values ('careful', '2026-03-01T01:00Z', '2026-03-01T03:00Z', 3, 'outside_catchup_window', '2026-03-01T04:00:00Z')`,
  );
  expect(await opened('2026-03-01T04:00:05Z')).toEqual(['missed of careful']);
  await fired('careful', '2026-03-01T04:00:00Z', closed('completed', '2026-03-01T04:01:00Z'));
  expect(await opened('2026-03-01T04:01:05Z')).toEqual([]);
  await fired('careful', '2026-03-01T05:00:00Z', closed('completed', '2026-03-01T05:01:00Z'));
  expect(await opened('2026-03-01T05:01:05Z')).toEqual(['missed is over']);
});

it('skipped and parked open by the schedule’s own rules, or never', async () => {
  await schedule('strict', { skipped: 1, parked: '1 hour' });
  await schedule('never', { skipped: false, parked: false });
  const opened = await alertsOf(ledger());
  for (const id of ['strict', 'never']) {
    for (const hour of ['01', '02', '03']) {
      await fired(id, `2026-03-01T${hour}:00:00Z`, { state: 'skipped', reason: 'overlap' });
    }
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
       values ($1, $2, '2026-03-01T03:00Z', 0, 'parked', 'open', 'step_failed', 'default', '2026-03-01T03:00Z', '2026-03-01T03:00Z')`,
      [randomUUID(), id],
    );
  }
  const lettered = ['dead_letter of never', 'dead_letter of strict'];
  expect((await opened('2026-03-01T03:00:05Z')).sort()).toEqual([...lettered, 'skipped of strict']);
  expect(await opened('2026-03-01T04:00:00Z')).toEqual(['parked of strict']);
  expect(await opened('2026-03-03T04:00:00Z')).toEqual([]);
});

describe('rules', () => {
  it.each([
    ['late', '4 seconds'],
    ['late', 'soon'],
    ['late', true],
    ['notDone', 0],
    ['runningLong', null],
    ['parked', '1 second'],
    ['failing', 0],
    ['failing', 101],
    ['skipped', 1.5],
    ['resolvedAfter', false],
    ['lat', '1 minute'],
  ])(
    '%s: %o is refused by its path, in a definition and in the settings, and nothing is written',
    async (rule, value) => {
      const alerts = { [rule]: value } as ScheduleAlerts;
      await expect(
        ledger().client.create(someSchedule({ scheduleId: 'bad', policies: { alerts } })),
      ).rejects.toMatchObject({
        name: 'InvalidScheduleError',
        path: `policies.alerts.${rule}`,
      });
      await expect(ledger().client.settings.set({ alerts })).rejects.toMatchObject({
        name: 'InvalidOptionError',
        path: `alerts.${rule}`,
      });
      expect(await ledger().query('select from escapement.schedules')).toEqual([]);
      expect((await ledger().client.settings.describe()).alerts).toEqual({});
    },
  );

  it('are described in milliseconds as they were given, and an update that changes nothing keeps them', async () => {
    await schedule('own', { late: '1 minute', failing: false });
    const handle = ledger().client.getHandle('own');
    const before = await handle.describe();
    expect(before.policies.alerts).toEqual({ late: 60_000, failing: false });
    await handle.update((previous) => previous);
    expect((await handle.describe()).policies).toEqual(before.policies);
    await schedule('usual', {});
    expect((await ledger().client.getHandle('usual').describe()).policies).not.toHaveProperty('alerts');
  });
});
