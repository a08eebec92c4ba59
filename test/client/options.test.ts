import { expect, it } from 'vitest';
import { leaseInterceptor } from '../../activities';
import {
  defineSchedule,
  type EscapementClient,
  InvalidOptionError,
  InvalidScheduleError,
  nextOccurrences,
  type ScheduleOptions,
} from '../../index';
import { migrate } from '../../migrations';
import { EscapementPlugin } from '../../plugin';
import { serve } from '../../server';
import { createTestDatabase, expectFirings, TemporalDouble, TestScheduleEnvironment } from '../../testing';
import { Trigger } from '../../trigger';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** Calls with options that no type allows, as a JavaScript program may make them. */
type Loose = Record<string, (...given: unknown[]) => Promise<unknown>>;
const loose = (of: object) => of as unknown as Loose;
const handle = (client: EscapementClient) => loose(client.getHandle('there'));
const letters = (client: EscapementClient) => loose(client.deadLetters);
const first = async (list: unknown) => {
  for await (const one of list as AsyncIterable<unknown>) return one;
  return undefined;
};
const newClient = async (options: object) => ledger().newClient(options);
const newTrigger = (options: object) => Trigger.create({ connectionString: ledger().databaseUrl, ...options });
const create = (client: EscapementClient, changed: object) => client.create(someSchedule(changed as ScheduleOptions));
const action = (changed: object) => ({ action: { ...someSchedule().action, ...changed } });

/** Looks like a Temporal client, but no refused call may reach it. */
const NOWHERE = { connection: { workflowService: {} } } as never;
const NUL = 'a\u0000b';
const EARLY = new Date(-8.64e15);
const LATE = new Date(8.64e15);
const LETTER = '0e3f8a52-7d5e-4f0b-9a53-000000000000';
const LONG = 'x'.repeat(4_001);
const SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`;

const double = (options: object) => new TemporalDouble({ now: () => 0 }, options);
const migrateBy = (options: object) => migrate({ connectionString: ledger().databaseUrl, ...options });

const cases: [call: string, path: string, attempt: (client: EscapementClient) => unknown][] = [
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
  ['serve', 'basePath', () => serve({ connectionString: ledger().databaseUrl, port: 0, basePath: 'api' })],
  ['serve', 'host', () => serve({ connectionString: ledger().databaseUrl, port: 0, host: '0.0.0.0' })],
  ['tenants.set', 'schedule', (client) => client.tenants.set('acme', { schedule: 1 } as never)],
  ['tenants.set', 'schedules', (client) => client.tenants.set('acme', { schedules: 1.5 })],
  ['tenants.set', 'firingsPerHour', (client) => client.tenants.set('acme', { firingsPerHour: 2 ** 31 })],
  ['tenants.set', 'namespaces', (client) => client.tenants.set('acme', { namespaces: 'acme' as never })],
  ['tenants.set', 'taskQueues[1]', (client) => client.tenants.set('acme', { taskQueues: ['a', 'a*b'] })],
  ['tenants.set', 'taskQueues[0]', (client) => client.tenants.set('acme', { taskQueues: [NUL] })],
  ['tenants.set', 'tenant', (client) => client.tenants.set('', { schedules: 1 })],
  ['tenants.set', 'tenant', (client) => client.tenants.set(NUL, { schedules: 1 })],
  ['tenants.describe', 'tenant', (client) => client.tenants.describe(undefined as never)],
  ['tenants.remove', 'tenant', (client) => client.tenants.remove(NUL)],
  [
    'alerts.silence',
    'schedule',
    (client) => client.alerts.silence({ schedule: 'x', until: new Date('2099-01-01Z'), reason: 'x' } as never),
  ],
  ['alerts.silences', 'tennant', (client) => client.alerts.silences({ tennant: 'x' } as never)],
  ['alerts.list', 'resolvd', (client) => client.alerts.list({ resolvd: true } as never)],
  ['alerts.list', 'limit', (client) => client.alerts.list({ limit: 0 })],
  ['freezes.create', 'too', (client) => client.freezes.create({ all: true, too: new Date('2099-01-01Z') } as never)],
  ['freezes.create', 'to', (client) => client.freezes.create({ all: true, to: LATE })],
  ['freezes.create', 'all', (client) => client.freezes.create({ to: new Date('2099-01-01Z') })],
  ['freezes.create', 'note', (client) => client.freezes.create({ all: true, to: new Date('2099-01-01Z'), note: NUL })],
  ['freezes.list', 'endd', (client) => client.freezes.list({ endd: true } as never)],
  ['freezes.list', 'limit', (client) => client.freezes.list({ limit: 0 })],
  ['bulk.plan', 'kind', (client) => client.bulk.plan('stop' as never, { all: true })],
  ['bulk.plan', 'filter.all', (client) => client.bulk.plan('pause', {})],
  ['bulk.plan', 'filter.scheduleIds', (client) => client.bulk.plan('pause', { scheduleIds: [] })],
  ['bulk.plan', 'taskQueu', (client) => client.bulk.plan('pause', { taskQueu: 'x' } as never)],
  ['bulk.pause', 'untill', (client) => client.bulk.pause({ all: true }, { untill: 1 } as never)],
  ['bulk.pause', 'until', (client) => client.bulk.pause({ all: true }, { until: 'soon' })],
  ['bulk.pause', 'perSecond', (client) => client.bulk.pause({ all: true }, { perSecond: 0 })],
  ['bulk.unpause', 'until', (client) => client.bulk.unpause({ all: true }, { until: 1 } as never)],
  ['bulk.unpause', 'note', (client) => client.bulk.unpause({ all: true }, { note: LONG })],
  ['bulk.trigger', 'overlap', (client) => client.bulk.trigger({ all: true }, { overlap: 'NEVER' as never })],
  ['bulk.tag', 'owner', (client) => client.bulk.tag({ all: true }, {})],
  ['bulk.tag', 'owner', (client) => client.bulk.tag({ all: true }, { owner: NUL })],
  ['bulk.tag', 'runbook', (client) => client.bulk.tag({ all: true }, { runbook: 'the wiki' })],
  ['bulk.undo', 'progres', (client) => client.bulk.undo(LETTER, { progres: () => {} } as never)],
  ['bulk.follow', 'signal', (client) => client.bulk.follow(LETTER, { signal: 'stop' as never })],
  ['bulk.follow', 'onAbort', (client) => client.bulk.follow(LETTER, { onAbort: 'stop' as never })],
  ['bulk.list', 'state', (client) => client.bulk.list({ state: 'over' as never })],
  ['bulk.list', 'limit', (client) => client.bulk.list({ limit: 1_001 })],
  ['bulk.list', 'running', (client) => client.bulk.list({ running: true } as never)],
  ['calendars.put', 'name', (client) => client.calendars.put('25 Dec', { days: [] })],
  [
    'calendars.put',
    'days[0].label',
    (client) => client.calendars.put('x', { days: [{ day: '2026-01-01', label: NUL }] }),
  ],
  ['calendars.put', 'dayz', (client) => client.calendars.put('x', { dayz: [] } as never)],
  ['calendars.get', 'tennant', (client) => client.calendars.get('x', { tennant: 'x' } as never)],
  ['calendars.list', 'tennant', (client) => client.calendars.list({ tennant: 'x' } as never)],
  ['calendars.delete', 'tennant', (client) => client.calendars.delete('x', { tennant: 'x' } as never)],
  ['calendars.fill', 'tennant', (client) => client.calendars.fill({}, { tennant: 'x' } as never)],
  ['handle.trigger', 'duringFreeze', (client) => handle(client).trigger!({ duringFreeze: 'yes' })],
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
    'alerts.webhooks[0].template',
    () => newTrigger({ alerts: { webhooks: [{ url: 'http://x', secret: SECRET, template: 'sms' }] } }),
  ],
  ['settings.set', 'staleafter', (client) => client.settings.set({ staleafter: '20 s' } as never)],
  ['settings.set', 'staleAfter', (client) => client.settings.set({ staleAfter: '4 seconds' })],
  ['settings.set', 'staleAfter', (client) => client.settings.set({ staleAfter: '61 minutes' })],
  ['settings.set', 'retention', (client) => client.settings.set({ retention: 0 })],
  ['settings.set', 'tenant', () => ledger().newClient({ tenant: 'acme' }).settings.set({ retention: '1 day' })],
  ['getHandle', 'scheduleId', async (client) => loose(client).getHandle!(undefined)],
  ['getHandle', 'scheduleId', async (client) => client.getHandle(NUL)],
  ['handle.delete', 'expected', (client) => handle(client).delete!({ expected: 3 })],
  ['handle.versions', 'before', (client) => first(handle(client).versions!({ before: 0 }))],
  ['create', 'options', (client) => client.create(null as never)],
  ['create', 'tx', (client) => loose(client).create!(someSchedule(), { tx: {} })],
  ['create', 'tenant', (client) => create(client, { tenant: undefined })],
  ['create', 'action.taskqueue', (client) => create(client, action({ taskqueue: 'jobs' }))],
  ['create', 'action.args[0]', (client) => create(client, action({ args: [() => 1] }))],
  ['create', 'action.args[0].done', (client) => create(client, action({ args: [{ done: () => 1 }] }))],
  ['create', 'action.memo.mark', (client) => create(client, action({ memo: { mark: Symbol('x') } }))],
  ['create', 'action.softTimeout', (client) => create(client, action({ softTimeout: '' }))],
  ['create', 'policies.catchupWindow', (client) => create(client, { policies: { catchupWindow: '' } })],
  ['create', 'spec.jitter', (client) => create(client, { spec: { cron: '0 * * * *', jitter: 'x'.repeat(101) } })],
  ['create', 'state.note', (client) => create(client, { state: { note: { text: 'why' } } })],
  ['create', 'state.note', (client) => create(client, { state: { note: LONG } })],
  [
    'create',
    'state.backfill[0].overlp',
    (client) => create(client, { state: { backfill: [{ start: EARLY, end: EARLY, overlp: 'SKIP' }] } }),
  ],
  ['list', 'tenat', (client) => first(loose(client).list!({ tenat: 'acme' }))],
  ['list', 'tenant', (client) => first(client.list({ tenant: undefined }))],
  ['list', 'from', (client) => first(client.list({ from: EARLY }))],
  ['listPage', 'pageSize', (client) => client.listPage({ pageSize: 1.5 })],
  ['firings', 'scheduleID', (client) => first(loose(client).firings!({ scheduleID: 'there' }))],
  ['firings', 'to', (client) => first(client.firings({ to: LATE }))],
  ['firingsPage', 'text', (client) => client.firingsPage({ text: NUL })],
  ['gapsPage', 'scheduleId', (client) => client.gapsPage({ scheduleId: NUL })],
  ['gapsPage', 'cursor', (client) => client.gapsPage({ cursor: 'x' })],
  ['stats', 'tenant', (client) => client.stats({ tenant: undefined })],
  ['overview', 'schedule', (client) => loose(client).overview!({ schedule: 'there' })],
  ['stats', 'schedule', (client) => loose(client).stats!({ schedule: 'there' })],
  ['handle.update', 'updater', (client) => handle(client).update!({ spec: {} })],
  [
    'handle.update',
    'transation',
    (client) => handle(client).update!((previous: unknown) => previous, { transation: {} }),
  ],
  [
    'handle.update',
    'state.note',
    (client) => client.getHandle('there').update((now) => ({ ...now, state: { ...now.state, note: LONG } })),
  ],
  ['handle.delete', 'force', (client) => handle(client).delete!({ force: true })],
  ['handle.delete', 'options', (client) => handle(client).delete!(null)],
  ['handle.trigger', 'overlapp', (client) => handle(client).trigger!({ overlapp: 'SKIP' })],
  ['handle.trigger', 'overlap', (client) => handle(client).trigger!('BUFFER')],
  ['handle.trigger', 'overlap', (client) => handle(client).trigger!(null)],
  ['handle.pause', 'note', (client) => handle(client).pause!(5)],
  ['handle.pause', 'transactoin', (client) => handle(client).pause!({ transactoin: {} })],
  ['handle.pause', 'until', (client) => handle(client).pause!({ until: null })],
  ['handle.pause', 'until', (client) => handle(client).pause!({ until: 'soon' })],
  ['handle.pause', 'note', (client) => handle(client).pause!(NUL)],
  ['handle.pause', 'note', (client) => handle(client).pause!(LONG)],
  ['handle.pause', 'until', (client) => handle(client).pause!('why', { until: LATE })],
  ['handle.unpause', 'note', (client) => handle(client).unpause!(5)],
  ['cutOver', 'takeBuffers', (client) => client.cutOver({ from: NOWHERE, all: true, takeBuffers: true } as never)],
  ['cutOver', 'scheduleIds', (client) => client.cutOver({ from: NOWHERE })],
  ['cutOver', 'at', (client) => client.cutOver({ from: NOWHERE, all: true, at: 'noon' as never })],
  ['rollBack', 'takeBuffer', (client) => client.rollBack({ from: NOWHERE, all: true, takeBuffer: true } as never)],
  ['rollBack', 'scheduleIds', (client) => client.rollBack({ from: NOWHERE, all: true, query: 'x' })],
  ['compare', 'untl', async (client) => first(client.compare({ from: NOWHERE, all: true, untl: EARLY } as never))],
  ['compare', 'scheduleIds', async (client) => first(client.compare({ from: NOWHERE, scheduleIds: ['nobody'] }))],
  ['importSchedules', 'from', (client) => client.importSchedules({} as never)],
  ['importSchedules', 'shadwo', (client) => client.importSchedules({ from: NOWHERE, shadwo: true } as never)],
  ['importSchedules', 'namespaces[0]', (client) => client.importSchedules({ from: NOWHERE, namespaces: ['no name'] })],
  ['handle.exclude', 'time', (client) => handle(client).exclude!(LATE)],
  ['handle.exclude', 'transactoin', (client) => handle(client).exclude!('2026-03-01T05:00', { transactoin: {} })],
  ['handle.include', 'time', (client) => handle(client).include!(5)],
  ['handle.include', 'transactoin', (client) => handle(client).include!('2026-03-01T05:00', { transactoin: {} })],
  ['handle.explain', 'time', (client) => handle(client).explain!(EARLY)],
  ['handle.explain', 'time', (client) => handle(client).explain!('soon')],
  ['handle.nextTimes', 'count', (client) => handle(client).nextTimes!(Number.POSITIVE_INFINITY)],
  ['handle.runAgain', 'arg', (client) => handle(client).runAgain!('2026-02-01T05:00', { arg: [] })],
  ['handle.versions', 'pagesize', async (client) => first(handle(client).versions!({ pagesize: 5 }))],
  ['gapsPage', 'form', (client) => loose(client).gapsPage!({ form: new Date() })],
  ['handle.firingsPage', 'curser', (client) => handle(client).firingsPage!({ curser: 'x' })],
  ['handle.firings', 'scheduleId', async (client) => first(handle(client).firings!({ scheduleId: 'other' }))],
  [
    'handle.backfill',
    'backfill.transaction',
    (client) => handle(client).backfill!({ start: 'x', end: 'x', transaction: {} }),
  ],
  ['handle.backfill', 'backfill.dryRun', (client) => handle(client).backfill!({ start: 'x', end: 'x', dryRun: 'no' })],
  [
    'handle.backfill',
    'backfill[0].end',
    (client) => handle(client).backfill!([{ start: '2026-02-01T00:00', end: LATE }]),
  ],
  ['deadLetters.list', 'state', async (client) => first(letters(client).list!({ state: 'opened' }))],
  ['deadLetters.listPage', 'cursor', (client) => letters(client).listPage!({ cursor: 'x' })],
  ['deadLetters.groups', 'stat', (client) => letters(client).groups!({ stat: 'open' })],
  ['deadLetters.plan', 'filter.stat', async (client) => first(letters(client).plan!({ stat: 'open' }))],
  [
    'deadLetters.plan',
    'modus',
    async (client) => first(letters(client).plan!({ state: 'open' }, { modus: 'restart' })),
  ],
  ['deadLetters.redrive', 'dryrun', (client) => letters(client).redrive!(LETTER, { dryrun: true })],
  ['deadLetters.redrive', 'mode', (client) => letters(client).redrive!(LETTER, { mode: 'again' })],
  [
    'deadLetters.redriveAll',
    'filter.scheduleId',
    (client) => letters(client).redriveAll!({ state: 'open', scheduleId: undefined }),
  ],
  ['deadLetters.redriveAll', 'filter', (client) => letters(client).redriveAll!({})],
  ['deadLetters.redriveAll', 'dryrun', (client) => letters(client).redriveAll!({ state: 'open' }, { dryrun: true })],
  [
    'deadLetters.redriveAll',
    'perSecond',
    (client) => letters(client).redriveAll!({ state: 'open' }, { perSecond: 0.4 }),
  ],
  ['deadLetters.complete', 'nots', (client) => letters(client).complete!(LETTER, 'done', { nots: 'paid' })],
  ['deadLetters.discard', 'note', (client) => letters(client).discard!(LETTER, { note: '  ' })],
  ['deadLetters.discard', 'note', (client) => letters(client).discard!(LETTER, { note: LONG })],
  ['deadLetters.discardAll', 'filter', (client) => letters(client).discardAll!({}, { note: 'paid' })],
  [
    'deadLetters.discardAll',
    'dryrun',
    (client) => letters(client).discardAll!({ state: 'open' }, { note: 'paid', dryrun: true }),
  ],
  ['deadLetters.restore', 'dryRun', (client) => letters(client).restore!(LETTER, { dryRun: true })],
  ['sources.reset', 'revison', (client) => loose(client.sources).reset!('billing', { revison: 1 })],
  ['sources.reset', 'source', (client) => client.sources.reset(NUL, { revision: 1 })],
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
