import { expect, it, vi } from 'vitest';
import { DatabaseClock } from '../../../trigger/clock';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a zone that this host does not know leaves the schedule to others, and holds up none of its own', async () => {
  const { client, clock } = ledger();
  const foreign = await client.create(someSchedule({ scheduleId: 'a-foreign' }));
  // More than the pages of one that a pass reads over.
  for (let index = 10; index < 35; index++) await client.create(someSchedule({ scheduleId: `a-foreign-${index}` }));
  await client.create(someSchedule({ scheduleId: 'b-own' }));
  const setZone = (zone: string) =>
    ledger().query(
      `update escapement.schedule_versions set spec = spec || jsonb_build_object('timezone', $1::text) where schedule_id like 'a-foreign%'`,
      [zone],
    );
  await setZone('Mars/Olympus');
  const limits = { batchSize: 1 };
  const { passes } = await ledger().trigger({ limits });
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await passes.claim();
  const claimed = await ledger().query(`select schedule_id from escapement.firings where state = 'claimed'`);
  expect(claimed).toEqual([{ schedule_id: 'b-own' }]);
  expect((await foreign.describe()).info).not.toHaveProperty('specError');
  const errors = ledger().log.lines.filter(({ level }) => level === 'error');
  expect(errors[0]).toMatchObject({ message: expect.stringContaining('left to'), meta: { scheduleId: 'a-foreign' } });
  expect(new Set(errors.map(({ meta }) => meta.scheduleId)).size).toBe(errors.length);

  // To a host that knows it.
  await setZone('UTC');
  const other = await ledger().trigger();
  expect((await other.passes.claim()).claimed.map((firing) => firing.scheduleId)).toContain('a-foreign');
});

it('a trigger says once that others have different time zone data', async () => {
  const { passes, id } = await ledger().trigger();
  await ledger().query(
    `insert into escapement.triggers (id, host, version, heartbeat_at, tz)
     values (gen_random_uuid(), 'elsewhere', '0.1.0', $1, '1999a')`,
    [new Date(ledger().clock.now())],
  );
  await passes.heartbeat();
  await passes.heartbeat();
  expect(ledger().log.lines.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      message: expect.stringContaining('different time zone data'),
      meta: { tz: process.versions.tz, others: [{ host: 'elsewhere', tz: '1999a' }] },
    },
  ]);
  expect(await ledger().query('select schema_version, tz, icu from escapement.triggers where id = $1', [id])).toEqual([
    { schema_version: expect.any(Number), tz: process.versions.tz, icu: process.versions.icu },
  ]);
});

it('a sweep that fails does not keep a trigger from looking at chains that a person may have reset', async () => {
  await ledger().query(`select escapement.ensure_partition('2026-03-01T00:00:00Z')`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version,
       workflow_id, run_id, claimed_at, closed_at, check_at)
     values ('gone', '2026-03-01T00:00:00Z', 'closed', 'failed', 'schedule', 'default', 1, 'gone-workflow',
       gen_random_uuid(), now(), now(), now())`,
  );
  await ledger().query('alter function escapement.retire_partition(timestamptz) rename to retire_nothing');
  await ledger().query('alter function escapement.ensure_partition(timestamptz, boolean) rename to ensure_nothing');
  const before = await ledger().query('select check_at from escapement.firings');
  const trigger = await ledger().trigger({ clock: new DatabaseClock() });
  const running = trigger.run();
  try {
    await vi.waitFor(async () => {
      expect(ledger().log.messages().join()).toContain('sweep pass failed');
      expect(await ledger().query('select check_at from escapement.firings')).not.toEqual(before);
    }, 60_000);
  } finally {
    trigger.shutdown();
    await running;
  }
});

it('a host whose clock is two days ahead fires by the clock of the database all the same', async () => {
  const client = ledger().newClient({ now: undefined as never });
  // By the host's clock it has come due, four times; by the database's it does so six hours from now.
  const offset = (Math.floor(Date.now() / 1_000) * 1_000 + 21_600_000) % 43_200_000;
  await client.create(someSchedule({ scheduleId: 'by-halves', spec: { intervals: [{ every: '12 hours', offset }] } }));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 172_800_000 });
  try {
    const { passes } = await ledger().trigger({ clock: new DatabaseClock() });
    await passes.heartbeat();
    expect((await passes.claim()).claimed).toEqual([]);
    await client.getHandle('by-halves').trigger();
    expect((await passes.claim()).claimed).toHaveLength(1);
    expect(
      await ledger().query(
        "select claimed_at < clock_timestamp() + interval '1 minute' as own from escapement.firings",
      ),
    ).toEqual([{ own: true }]);
  } finally {
    vi.useRealTimers();
  }
});
