import { expect, it } from 'vitest';
import { leaseInterceptor } from '../../activities';
import { defineSchedule, InvalidOptionError, InvalidScheduleError, nextOccurrences } from '../../index';
import { migrate } from '../../migrations';
import { EscapementPlugin } from '../../plugin';
import { serve } from '../../server';
import { createTestDatabase, expectFirings, TemporalDouble, TestScheduleEnvironment } from '../../testing';
import { Trigger } from '../../trigger';
import { someSchedule, useLedger } from '../support/ledger';
import { action, create, loose, NUL, REFUSED_BY_CLIENT, type Refused } from './refused-by-client';

const ledger = useLedger('2026-03-01T00:30:00Z');

const newClient = async (options: object) => ledger().newClient(options);
const newTrigger = (options: object) => Trigger.create({ connectionString: ledger().databaseUrl, ...options });
const SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`;
const POOL_AND_PASSWORD = { pool: { connect: () => Promise.reject(new Error('never')) }, password: 'secret' };
const double = (options: object) => new TemporalDouble({ now: () => 0 }, options);
const migrateBy = (options: object) => migrate({ connectionString: ledger().databaseUrl, ...options });

/** What everything refuses: all else first, then the client. */
const cases: Refused[] = [
  ['migrate', 'shema', () => migrateBy({ shema: 'elsewhere' })],
  ['migrate', 'force', () => migrateBy({ force: 'no' })],
  ['migrate', 'onProgress', () => migrateBy({ onProgress: 'loud' })],
  ['expectFirings', 'timeZone', async () => expectFirings([], { timeZone: 'UTC' } as never)],
  ['new TemporalDouble', 'namespace', async () => double({ namespace: ['billing'] })],
  ['new TemporalDouble', 'canList', async () => double({ canList: 'no' })],
  ['double.play', 'fail', async () => double({}).play('charge', { fail: 2 } as never)],
  ['double.play', 'takes', async () => double({}).play('charge', { takes: 'soon' as never })],
  ['new EscapementClient', 'tennant', () => newClient({ tennant: 'acme' })],
  ['new EscapementClient', 'tenant', () => newClient({ tenant: undefined })],
  ['new EscapementClient', 'tenant', () => newClient({ tenant: NUL })],
  ['new EscapementClient', 'identity', () => newClient({ identity: NUL })],
  ['new EscapementClient', 'now', () => newClient({ now: new Date() })],
  ['new EscapementClient', 'schema', () => newClient({ schema: 'Not A Name' })],
  ['new EscapementClient', 'namespace', () => newClient({ namespace: 'no namespace' })],
  ['new EscapementClient', 'pool', () => newClient({ pool: 'postgres://…' })],
  ['serve', 'prot', () => serve({ connectionString: ledger().databaseUrl, port: 0, prot: 1 } as never)],
  ['serve', 'port', () => serve({ connectionString: ledger().databaseUrl, port: -1 })],
  ['serve', 'tenant', () => serve({ connectionString: ledger().databaseUrl, port: 0, tenant: undefined as never })],
  ['serve', 'oidc', () => serve({ connectionString: ledger().databaseUrl, port: 0, oidc: undefined as never })],
  ['serve', 'basePath', () => serve({ connectionString: ledger().databaseUrl, port: 0, basePath: 'api' })],
  ['serve', 'host', () => serve({ connectionString: ledger().databaseUrl, port: 0, host: '0.0.0.0' })],
  ['Trigger.create', 'metricsSchedules', () => newTrigger({ metricsSchedules: 'nightly' })],
  ['Trigger.create', 'alerts.webhook', () => newTrigger({ alerts: { webhook: [] } })],
  [
    'Trigger.create',
    'alerts.webhooks[0].url',
    () => newTrigger({ alerts: { webhooks: [{ url: 'ftp://x', secret: SECRET }] } }),
  ],
  [
    'Trigger.create',
    'alerts.webhooks[0].secret',
    () => newTrigger({ alerts: { webhooks: [{ url: 'http://x', secret: 'whsec_c2hvcnQ=' }] } }),
  ],
  [
    'Trigger.create',
    'alerts.webhooks[0].secret',
    () => newTrigger({ alerts: { webhooks: [{ url: 'http://x', secret: [] }] } }),
  ],
  [
    'Trigger.create',
    'alerts.webhooks[0].template',
    () => newTrigger({ alerts: { webhooks: [{ url: 'http://x', secret: SECRET, template: 'sms' }] } }),
  ],
  ['Trigger.create', 'limit', () => newTrigger({ limit: {} })],
  ['Trigger.create', 'limits', () => newTrigger({ limits: { batchSize: 5 } })],
  ['Trigger.create', 'clock', () => newTrigger({ clock: { now: () => 0 } })],
  ['Trigger.create', 'startsInFlight', () => newTrigger({ startsInFlight: 1.5 })],
  ['Trigger.create', 'preStartCap', () => newTrigger({ preStartCap: -1 })],
  ['Trigger.create', 'refusedAtMost', () => newTrigger({ refusedAtMost: 0 })],
  ['Trigger.create', 'cancelWait', () => newTrigger({ cancelWait: 'soon' })],
  ['Trigger.create', 'stalledAfter', () => newTrigger({ stalledAfter: Number.POSITIVE_INFINITY })],
  ['Trigger.create', 'keepFailureTexts', () => newTrigger({ keepFailureTexts: 'no' })],
  ['Trigger.create', 'redact', () => newTrigger({ redact: /card/ })],
  ['Trigger.create', 'namespaces.billing.address', () => newTrigger({ namespaces: { billing: { address: 'x' } } })],
  [
    'Trigger.create',
    'maxStartsPerSecond.taskQueues.jobs',
    () => newTrigger({ maxStartsPerSecond: { taskQueues: { jobs: 0 } } }),
  ],
  ['EscapementPlugin', 'EscapementPlugin.parked', async () => new EscapementPlugin({ parked: 'all' } as never)],
  [
    'EscapementPlugin',
    'EscapementPlugin.trigger.startsInFlight',
    async () => new EscapementPlugin({ trigger: { startsInFlight: 0 } }),
  ],
  ['EscapementPlugin', 'password', async () => new EscapementPlugin({ ...POOL_AND_PASSWORD, trigger: {} })],
  ['leaseInterceptor', 'password', async () => leaseInterceptor(POOL_AND_PASSWORD)],
  ['leaseInterceptor', 'ttl', async () => leaseInterceptor({ ttl: 5 } as never)],
  ['createTestDatabase', 'timeZone', () => createTestDatabase({ timeZone: 'UTC' } as never)],
  ['TestScheduleEnvironment', 'startTimes', () => TestScheduleEnvironment.create({ startTimes: 0 } as never)],
  ['nextOccurrences', 'count', async () => nextOccurrences({ cron: '0 * * * *' }, { after: new Date(0), count: 0.5 })],
  [
    'nextOccurrences',
    'zone',
    async () => nextOccurrences({ cron: '0 * * * *' }, { after: new Date(0), zone: 'UTC' } as never),
  ],
  [
    'defineSchedule',
    'policies.overlaps',
    async () => defineSchedule({ ...someSchedule(), policies: { overlaps: 'SKIP' } } as never),
  ],
  ['settings.set', 'tenant', () => ledger().newClient({ tenant: 'acme' }).settings.set({ retention: '1 day' })],
  ...REFUSED_BY_CLIENT,
];

/** All rows of all tables, as text. */
async function everything(): Promise<string> {
  const tables = [
    'schedules',
    'schedule_versions',
    'timers',
    'firings',
    'gaps',
    'dead_letters',
    'leases',
    'triggers',
    'meta',
    'tenants',
    'tenant_hours',
    'alerts',
    'alert_targets',
    'alert_messages',
    'bulk_operations',
  ];
  const rows: string[] = [];
  for (const table of tables) {
    const of = await ledger().query<{ row: string }>(
      `select to_jsonb(t)::text as row from escapement.${table} t order by 1`,
    );
    rows.push(table, ...of.map(({ row }) => row));
  }
  return rows.join('\n');
}

it('a public call refuses by its path what it does not know or cannot take, and writes nothing', async () => {
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'there' }));
  const before = await everything();
  const wrong: string[] = [];
  for (const [call, path, attempt] of cases) {
    const error = await Promise.resolve()
      .then(() => attempt(client))
      .then(
        () => 'not refused',
        (thrown: unknown) => thrown,
      );
    const said = error instanceof InvalidOptionError ? error.path : String(error);
    if (said !== path) wrong.push(`${call} ${path}: ${said}`);
    if ((await everything()) !== before) wrong.push(`${call} ${path}: it wrote`);
  }
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThanOrEqual(40);
});

it('every public method that takes something has a row of what it refuses', () => {
  const { client } = ledger();
  const classes: Record<string, object> = {
    '': client,
    'handle.': client.getHandle('there'),
    'deadLetters.': client.deadLetters,
    'sources.': client.sources,
    'tenants.': client.tenants,
    'settings.': client.settings,
    'alerts.': client.alerts,
    'freezes.': client.freezes,
    'calendars.': client.calendars,
    'bulk.': client.bulk,
  };
  const methods = Object.entries(classes).flatMap(([of, one]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(one)).map((method) => `${of}${method}`),
  );
  // Another ID is one that is not there.
  const takeNoOption = [
    // It returns what is wrong.
    'check',
    'deadLetters.get',
    'triggers',
    'close',
    'handle.describe',
    'handle.stats',
    'sources.list',
    'tenants.list',
    'settings.describe',
    'alerts.ack',
    'alerts.unsilence',
    'freezes.get',
    'freezes.end',
    'bulk.get',
    'bulk.cancel',
  ];
  const rows = new Set(cases.map(([call]) => call));
  const without = methods.filter((method) => !method.endsWith('constructor') && !rows.has(method));
  expect(without.sort()).toEqual(['apply', ...takeNoOption].sort());
});

it('apply refuses its options and its list together, and writes nothing', async () => {
  const { client } = ledger();
  const before = await everything();
  const list = [
    someSchedule({ policies: { catchupWindow: '' as '1s' } }),
    null,
    someSchedule(action({ args: [() => 1] })),
  ];
  const refused = loose(client).apply!(list, { source: NUL, revision: 1, dryrun: true, prune: 'yes' });
  await expect(refused).rejects.toMatchObject({
    name: 'ApplyRefusedError',
    problems: [
      { path: 'dryrun', problem: expect.stringContaining('did you mean dryRun?') },
      { path: 'source' },
      { path: 'prune' },
      { index: 0, path: 'policies.catchupWindow' },
      { index: 1, path: 'options' },
      { index: 2, path: 'action.args[0]' },
    ],
  });
  await expect(loose(client).apply!(null, { source: 'a', revision: 1 })).rejects.toMatchObject({
    problems: [{ path: 'schedules', problem: 'is not a list' }],
  });
  await expect(loose(client).apply!([])).rejects.toMatchObject({ problems: [{ path: 'options' }] });
  expect(await everything()).toBe(before);
});

it('an error names the nearest of what there is, and is a TypeError as Temporal’s', async () => {
  expect(() => ledger().newClient({ tennant: 'acme' } as never)).toThrow(
    /^tennant: is not a field here; .*did you mean tenant\?$/,
  );
  expect(new InvalidOptionError('a', 'b')).toBeInstanceOf(TypeError);
  expect(new InvalidScheduleError('a', 'b')).toBeInstanceOf(InvalidOptionError);
  const schedule = create(ledger().client, { tenant: undefined });
  await expect(schedule).rejects.toMatchObject({ problem: 'is undefined: leave the option out, or give a value' });
});
