import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();
const escapement = (...args: string[]) => runCommand(args, { DATABASE_URL: ledger().databaseUrl });
const describeIt = () => ledger().client.getHandle('nightly').describe();
const WORKFLOW = ['--type', 'report', '-t', 'reports'];

it('schedule create and update say by flags what a definition can say', async () => {
  const created = await escapement(
    ...['schedule', 'create', 'nightly', '--time-zone', 'Europe/Berlin', '--dst', 'LITERAL', '--cron', '0 2 * * *'],
    ...['--interval', '6h/5h', '--calendar', '{"dayOfWeek":"FRIDAY","hour":17}', '--at', '2099-12-24T18:00'],
    ...['--skip-calendar', '{"month":"DECEMBER","dayOfMonth":25,"hour":"*"}', '--start-time', '2026-01-01'],
    ...['--end-time', '2100-01-01T00:00Z', '--jitter', '5m', ...WORKFLOW, '--execution-timeout', '2h'],
    ...['--run-timeout', '1h', '--task-timeout', '20s', '--soft-timeout', '30m', '--retry-maximum-attempts', '3'],
    ...['--retry-initial-interval', '2s', '--retry-maximum-interval', '1m', '--retry-backoff-coefficient', '1.5'],
    ...['--memo', 'team="ops"', 'deep={"er":1}', '--search-attribute', 'Region="emea"', '--priority-key', '2'],
    ...[
      '--fairness-key',
      'acme',
      '--fairness-weight',
      '1.5',
      '--static-summary',
      'A report',
      '--static-details',
      'Long',
    ],
    ...['--overlap-policy', 'BUFFER_ONE', '--catchup-window', '1h', '--catchup-limit', 'all', '--max-concurrent', '2'],
    ...['--no-parked-holds', '--parked-at-most', '3d'],
    ...['--alert', 'late=1m', 'failing=5', 'skipped=off', '--alert', 'notDone=2h'],
    ...['--on-uncertain', 'START', '--no-pre-start', '--pause-on-failure', '--remaining-actions', '7', '--note', 'new'],
    ...['--schedule-memo', 'owner="me"', '--schedule-search-attribute', 'Team="ops"', '--namespace', 'billing'],
  );
  expect(created).toMatchObject({ code: 0, stderr: '' });
  expect(await describeIt()).toMatchObject({
    namespace: 'billing',
    definition: {
      spec: {
        timezone: 'Europe/Berlin',
        dst: 'LITERAL',
        cron: ['0 2 * * *'],
        intervals: [{ every: '6h', offset: '5h' }],
        calendars: [{ dayOfWeek: 'FRIDAY', hour: 17 }],
        at: [new Date('2099-12-24T17:00:00Z')],
        skip: [{ month: 'DECEMBER', dayOfMonth: 25, hour: '*' }],
        startAt: new Date('2025-12-31T23:00:00Z'),
        endAt: new Date('2100-01-01T00:00:00Z'),
        jitter: '5m',
      },
    },
    action: {
      workflowExecutionTimeout: 7_200_000,
      workflowRunTimeout: 3_600_000,
      workflowTaskTimeout: 20_000,
      softTimeout: 1_800_000,
      retry: { maximumAttempts: 3, initialInterval: 2_000, maximumInterval: 60_000, backoffCoefficient: 1.5 },
      memo: { team: 'ops', deep: { er: 1 } },
      searchAttributes: { Region: ['emea'] },
      priority: { priorityKey: 2, fairnessKey: 'acme', fairnessWeight: 1.5 },
      staticSummary: 'A report',
      staticDetails: 'Long',
    },
    policies: {
      overlap: 'BUFFER_ONE',
      catchupWindow: 3_600_000,
      catchupLimit: Number.POSITIVE_INFINITY,
      maxConcurrent: 2,
      onUncertain: 'START',
      preStart: false,
      pauseOnFailure: true,
      parkedHolds: false,
      parkedAtMost: 259_200_000,
      alerts: { late: 60_000, failing: 5, skipped: false, notDone: 7_200_000 },
    },
    state: { remainingActions: 7, note: 'new' },
    memo: { owner: 'me' },
    searchAttributes: { Team: ['ops'] },
  });

  const updated = await escapement(
    ...['schedule', 'update', 'nightly', '--at', '2099-12-31T01:00', '--retry-maximum-attempts', '5'],
    ...['--priority-key', '4', '--search-attribute', 'Region="apac"', '--schedule-search-attribute', 'Team="dev"'],
    ...['--pre-start', '--no-pause-on-failure', '--catchup-limit', '5', '--parked-holds'],
  );
  expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining('version 2') });
  const { definition, action, policies, memo, searchAttributes } = await describeIt();
  expect(definition.spec).toMatchObject({ at: [new Date('2099-12-31T00:00:00Z')], jitter: '5m', dst: 'LITERAL' });
  expect(definition.spec).not.toHaveProperty('intervals');
  expect(action).toMatchObject({
    retry: { maximumAttempts: 5, initialInterval: 2_000 },
    priority: { priorityKey: 4, fairnessKey: 'acme' },
    searchAttributes: { Region: ['apac'] },
    memo: { team: 'ops' },
  });
  expect(policies).toMatchObject({
    preStart: true,
    pauseOnFailure: false,
    catchupLimit: 5,
    maxConcurrent: 2,
    parkedHolds: true,
  });
  expect([memo, searchAttributes]).toEqual([{ owner: 'me' }, { Team: ['dev'] }]);

  expect(await escapement('schedule', 'update', 'nightly', '--manual-only')).toMatchObject({
    stdout: "'nightly' is at version 3. Next: none, until it is triggered",
  });
  expect((await describeIt()).definition.spec).toEqual({ timezone: 'Europe/Berlin' });
});

it('--manual-only keeps a time zone that only a cron expression of Temporal contains', async () => {
  const spec = { cronExpressions: ['CRON_TZ=Europe/Berlin 0 2 * * *'] };
  await ledger().client.create(someSchedule({ scheduleId: 'nightly', spec }));
  await escapement('schedule', 'update', 'nightly', '--manual-only');
  expect((await describeIt()).definition.spec).toEqual({ timezone: 'Europe/Berlin' });
});

it('update without a flag for the spec keeps a stored spec that is refused in a new definition', async () => {
  const spec = { cron: '0 0 2 1 1 * 2028-2027' };
  await ledger().client.create(someSchedule({ scheduleId: 'nightly' }));
  await ledger().query('update escapement.schedule_versions set spec = $1::jsonb', [JSON.stringify(spec)]);
  const update = (...flags: string[]) => escapement('schedule', 'update', 'nightly', ...flags);
  expect(await update('--note', 'audited')).toMatchObject({ code: 0, stderr: '' });
  expect(await describeIt()).toMatchObject({ state: { note: 'audited' }, definition: { spec }, info: { version: 1 } });
  expect((await update('--dst', 'LITERAL')).stderr).toContain('ends before it begins');
});

it('takes the ID first, and by its former flag, and says where it is missing', async () => {
  const byFlag = await escapement('schedule', 'create', '-s', 'nightly', '--manual-only', ...WORKFLOW, '--json');
  expect(JSON.parse(byFlag.stdout)).toEqual({ scheduleId: 'nightly', namespace: 'default', nextTimes: [] });
  expect((await escapement('schedule', 'pause', 'nightly', '--note', 'x')).stdout).toBe("Paused 'nightly'.");
  await escapement('schedule', 'update', 'nightly', '--manual-only', '--notes', 'by its former flag');
  expect((await describeIt()).state.note).toBe('by its former flag');
  const next = (flag: string) =>
    escapement('schedule', 'next', '0 2 * * *', flag, 'Asia/Tokyo', '--from', '2026-03-01T00:00Z', '--json');
  expect((await next('--tz')).stdout).toContain('Asia/Tokyo');
  expect(await next('--tz')).toEqual(await next('--time-zone'));
  for (const wrong of [
    { args: ['describe'], says: 'error: give the schedule-id before the options' },
    { args: ['exclude', 'nightly'], says: 'error: give the time before the options' },
    { args: ['describe', 'nightly', '-s', 'nightly'], says: 'error: give the schedule-id once' },
    {
      args: ['create', 'other', ...WORKFLOW],
      says: 'error: give --cron, --interval, --calendar, --at or --manual-only',
    },
    {
      args: ['update', 'nightly', '--manual-only', '--jitter', '1m'],
      says: /--manual-only' cannot be used with .*--jitter/,
    },
    { args: ['update', 'nightly', '--memo', 'ops'], says: /use a form such as 'Team="ops"'/ },
  ]) {
    const { code, stderr } = await escapement('schedule', ...wrong.args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(wrong.says)]);
  }
  expect((await escapement('schedule', 'pause', '--help')).stdout).toMatch(
    /^Usage: escapement schedule pause <schedule-id>/,
  );
});

it('says which namespace it used when the environment named it', async () => {
  const environment = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_NAMESPACE: 'billing' };
  const create = (...args: string[]) =>
    runCommand(['schedule', 'create', ...args, '--manual-only', ...WORKFLOW], environment);
  expect((await create('one')).stdout).toBe(
    "Created 'one' in namespace 'billing', as TEMPORAL_NAMESPACE or Temporal's profile has it. Next: none, until it is triggered",
  );
  expect((await create('other', '-n', 'reports')).stdout).toBe("Created 'other'. Next: none, until it is triggered");
  expect(await ledger().client.getHandle('other').describe()).toMatchObject({ namespace: 'reports' });
});
