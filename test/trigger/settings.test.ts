import { expect, it } from 'vitest';
import { announceAll } from '../support/announced';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const DEFAULT = {
  staleAfterMilliseconds: 10_000,
  retentionMilliseconds: 7_776_000_000,
  alerts: {},
  archiveFirst: false,
};

it('the settings of a ledger are the defaults until somebody sets one, and the other stays as it is', async () => {
  const { settings } = ledger().client;
  expect(await settings.describe()).toEqual(DEFAULT);
  expect(await settings.set({ staleAfter: '20 seconds' })).toEqual({ ...DEFAULT, staleAfterMilliseconds: 20_000 });
  const forever = { ...DEFAULT, staleAfterMilliseconds: 20_000, retentionMilliseconds: Number.POSITIVE_INFINITY };
  expect(await settings.set({ retention: Number.POSITIVE_INFINITY })).toEqual(forever);
  expect(await settings.set({ retention: '90 days', staleAfter: 10_000 })).toEqual(DEFAULT);
});

it('triggers that run, those that begin and people go by how old a heartbeat is dead in this ledger', async () => {
  const { client, clock } = ledger();
  await client.create(someSchedule());
  const dead = await ledger().trigger();
  const running = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await dead.passes.heartbeat();
  await dead.passes.claim();
  await announceAll(ledger(), dead);
  await client.settings.set({ staleAfter: '1 minute' });

  clock.advance(25_000);
  await running.passes.heartbeat();
  const fresh = await ledger().trigger();
  for (const { passes } of [running, fresh]) {
    const nextStaleAt = new Date('2026-03-01T01:01:00Z');
    expect(await passes.reconcile()).toMatchObject({ deadTriggers: [], nextStaleAt });
  }
  expect((await client.triggers()).map(({ id }) => id).sort()).toEqual([dead.id, running.id].sort());

  // By what it was when they began a minute more would go by.
  await client.settings.set({ staleAfter: '20 seconds' });
  expect((await client.triggers()).map(({ id }) => id)).toEqual([running.id]);
  expect(await running.passes.reconcile()).toMatchObject({ deadTriggers: [] });
  await running.passes.heartbeat();
  expect(await running.passes.reconcile()).toMatchObject({ deadTriggers: [dead.id] });
});

it('db settings shows them, and changes what a flag names', async () => {
  const settings = (...flags: string[]) =>
    runCommand(['db', 'settings', ...flags], { DATABASE_URL: ledger().databaseUrl });
  expect((await settings()).stdout).toBe(
    'A trigger is dead 10 seconds after its last heartbeat.\nFirings are kept for 90 days.',
  );
  expect((await settings('--stale-after', '90 s', '--retention', 'forever')).stdout).toBe(
    'A trigger is dead 1 minute 30 seconds after its last heartbeat.\nFirings are kept for ever.',
  );
  expect(JSON.parse((await settings('--retention', '30 days', '--json')).stdout)).toEqual({
    staleAfterMilliseconds: 90_000,
    retentionMilliseconds: 2_592_000_000,
    alerts: {},
    archiveFirst: false,
  });
  expect(
    (await settings('--alert', 'late=90s', 'skipped=off', '--alert', 'failing=5', 'resolvedAfter=2')).stdout,
  ).toContain(
    ['late after 1 minute 30 seconds', 'failing after 5 in a row', 'skipped never', 'resolved after 2 completed']
      .map((rule) => `Alerts of all schedules: ${rule}.`)
      .join('\n'),
  );
  for (const [flag, value, said] of [
    ['--alert', 'late=1s', /alerts.late: is shorter than five seconds/],
    ['--alert', 'lat=1m', /did you mean late/],
    ['--stale-after', '1s', /staleAfter: is not a duration of 5 seconds to 1 hour/],
    ['--retention', 'long', /retention: "long" is neither a duration/],
  ] as const) {
    const refused = await settings(flag, value);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(said)]);
  }
});
