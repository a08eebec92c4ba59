import { expect, it } from 'vitest';
import { printed } from '../../cli/output/output';
import { printOverview } from '../../cli/top/screen';
import { DatabaseClock } from '../../trigger/clock';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const AWAY = 'payroll';

/** Two firings at one o'clock, of which one was linked 4.5 s late and one waits; one due at two that nobody has claimed. */
async function busy(): Promise<void> {
  const { client } = ledger();
  const { passes } = await ledger().trigger();
  await client.create(someSchedule({ scheduleId: 'started', tenant: 'acme' }));
  await client.create(someSchedule({ scheduleId: 'waits' }));
  ledger().clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await ledger().query(
    `update escapement.firings set state = 'linked', run_id = 'r', owner = gen_random_uuid(), first_attempted_at = now(),
      linked_at = '2026-03-01T01:00:04.5Z' where schedule_id = 'started'`,
  );
  await ledger().query(`update escapement.firings set ready_at = '2026-03-01T01:00:00Z' where schedule_id = 'waits'`);
  await ledger().query(
    `update escapement.timers set wake_at = '2026-03-01T01:00:10Z', next_fire_at = '2026-03-01T01:00:00Z' where schedule_id = 'waits'`,
  );
  ledger().clock.set('2026-03-01T01:01:00Z');
}

it('the overview says what is due, waits, runs and was late, of one tenant alone where one asks', async () => {
  await busy();
  const overview = await ledger().client.overview();
  expect(overview).toMatchObject({
    at: new Date('2026-03-01T01:01:00Z'),
    backlog: { schedules: 1, oldestAt: new Date('2026-03-01T01:00:10Z') },
    lag: { firings: 1, p50Milliseconds: 4_500, p99Milliseconds: 4_500, maxMilliseconds: 4_500 },
    namespaces: [
      { namespace: 'default', waiting: 1, waitingSince: new Date('2026-03-01T01:00:00Z'), running: 1, awaySince: null },
    ],
    letters: { open: 0, oldestAt: null },
  });
  expect(overview.next.map(({ scheduleId }) => scheduleId).sort()).toEqual(['started', 'waits']);
  const ofAcme = await ledger().newClient({ tenant: 'acme' }).overview();
  expect(ofAcme).toMatchObject({
    backlog: { schedules: 0, oldestAt: null },
    namespaces: [{ waiting: 0, running: 1 }],
    next: [{ scheduleId: 'started' }],
  });
  const ofNone = await ledger().client.overview({ tenant: '' });
  expect(ofNone).toMatchObject({
    lag: { firings: 0, maxMilliseconds: null },
    namespaces: [{ waiting: 1, running: 0 }],
  });
});

it('the lag is of the newest ten thousand firings, whether they run or have ended', async () => {
  ledger().clock.set('2026-03-01T01:00:00Z');
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z'::timestamptz)`);
  // Those that have ended are newer, and were started later. Restarts do not count.
  for (const [state, outcome, time, lag, epoch] of [
    ['linked', null, '2026-03-01T00:56:00Z', '1 second', 0],
    ['closed', 'completed', '2026-03-01T00:58:00Z', '5 seconds', 0],
    ['linked', null, '2026-03-01T00:59:00Z', '50 seconds', 1],
  ]) {
    await ledger().query(
      `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, workflow_id, run_id,
         claimed_at, linked_at, closed_at, epoch)
       select 's' || i, $3::timestamptz, $1, $2, 'schedule', 'default', 1, 'w' || i, 'r' || i, $3::timestamptz, $3::timestamptz + $4::interval,
         case when $2::text is not null then $3::timestamptz + $4::interval end, $5
       from generate_series(1, 10000) i`,
      [state, outcome, time, lag, epoch],
    );
  }
  expect((await ledger().client.overview()).lag).toEqual({
    firings: 10_000,
    p50Milliseconds: 5_000,
    p99Milliseconds: 5_000,
    maxMilliseconds: 5_000,
  });
});

it('top prints what was counted up to a bound as that many or more', async () => {
  await busy();
  const overview = await ledger().client.overview();
  const load = { ...overview.namespaces[0]!, waiting: 60_000, waitingSince: new Date(overview.at.getTime() - 120_000) };
  const namespaces = [
    { ...load, namespace: 'payroll', running: 1 },
    { ...load, namespace: 'stock', waiting: 40_000, running: 99_998 },
  ];
  const backlog = { schedules: 100_000, oldestAt: new Date(overview.at.getTime() - 60_000) };
  const text = await printed(async () => printOverview({ ...overview, namespaces, backlog }));
  expect(text).toContain('Backlog: 100,000 or more schedules due and not claimed, the first for 1m or more\n');
  expect(text).toMatch(/^payroll +answers +60,000 or more +2m or more +1 +-$/m);
  expect(text).toMatch(/^stock +answers +40,000 or more +2m or more +99,998 +-$/m);
});

it('top names what does not answer a trigger, and says where no trigger is alive', async () => {
  await busy();
  const top = (...args: string[]) => runCommand(['top', ...args], { DATABASE_URL: ledger().databaseUrl });
  expect((await top()).stdout).toContain('No trigger is alive: nothing fires.');
  await (await ledger().trigger({ clock: new DatabaseClock() })).passes.heartbeat();
  await ledger().query(
    `update escapement.triggers set heartbeat_at = now() + interval '1 minute',
      away = '[{"namespace": "payroll", "since": "2026-03-01T00:59:00Z", "error": "refused\\u001b[2J"}]'`,
  );
  const { stdout } = await top('--once', '--times', 'utc');
  expect(stdout).not.toContain('No trigger');
  expect(stdout).toMatch(/\npayroll +away +0 +- +0 +for \d+\w: refused\\u001b\[2J\n/);
  expect(stdout).toMatch(/\ndefault +answers +1 /);
  expect(stdout).toMatch(/\nNEXT +SCHEDULE\n2026-\S+Z +\w+/);
  const [away] = JSON.parse((await top('--json')).stdout).namespaces.filter(
    ({ namespace }: { namespace: string }) => namespace === AWAY,
  );
  expect(away).toMatchObject({ awaySince: '2026-03-01T00:59:00.000Z', error: 'refused\u001b[2J' });
  const ofTenant = JSON.parse((await top('--json', '--tenant', 'acme')).stdout);
  expect(JSON.stringify(ofTenant)).not.toContain(AWAY);
});
