import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { type AlertCondition, severityOf } from '../../core/alert-defaults';
import { type DiagnoseOptions, diagnose } from '../../doctor/diagnose';
import type { Finding } from '../../doctor/finding';
import { openStore } from '../../store/connection';
import { readIdleLocks, readOldSnapshots } from '../../store/doctor/server';
import { someSchedule, useLedger } from '../support/ledger';
import { pgbouncerOf } from '../support/servers/pgbouncer';
import { useWorker } from '../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

const NOBODY = '127.0.0.1:1';

async function findings(options: Partial<DiagnoseOptions> = {}): Promise<Finding[]> {
  return diagnose({
    postgres: { connectionString: ledger().databaseUrl },
    temporal: { connection: { address: inject('temporalAddress') }, namespaces: {}, namespace: 'default' },
    now: () => ledger().clock.now(),
    ...options,
  });
}

const found = async (id: string, options?: Partial<DiagnoseOptions>) =>
  (await findings(options)).filter((finding) => finding.id === id);

/** A schedule whose worker polls, and a trigger that is alive. */
async function running() {
  const { taskQueue } = worker();
  const action = { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue } as const;
  const { scheduleId } = await ledger().client.create(someSchedule({ action }));
  const trigger = await ledger().trigger();
  await trigger.passes.heartbeat();
  await trigger.passes.sweep();
  return { scheduleId, trigger };
}

it('finds nothing where nothing is wrong', async () => {
  await running();
  expect(await findings()).toEqual([]);
});

it('finds nothing wrong with a ledger that was made just now, from which nothing is to fire yet', async () => {
  expect(await findings()).toEqual([]);
});

it('finds that it cannot be read what triggers report, and whatever else is wrong', async () => {
  await running();
  await ledger().query('alter table escapement.triggers rename column caps to lost');
  ledger().clock.advance(11_000);
  const read = await findings();
  expect(read.map(({ id }) => id)).toEqual(['no_trigger', 'check_failed']);
  expect(read[1]!.text).toBe('doctor could not check the reports of triggers (column t.caps does not exist).');
});

it('finds that no trigger is alive', async () => {
  const { trigger } = await running();
  ledger().clock.advance(11_000);
  expect(await found('no_trigger')).toMatchObject([{ severity: 'critical', runBook: 'nothing-fires' }]);
  await trigger.passes.heartbeat();
  expect(await found('no_trigger')).toEqual([]);
});

it('finds an occurrence that nobody has claimed, and says how to ask what holds it', async () => {
  const { scheduleId, trigger } = await running();
  ledger().clock.set('2026-03-01T01:02:00Z');
  await trigger.passes.heartbeat();
  expect(await found('overdue')).toMatchObject([
    {
      severity: 'critical',
      action: expect.stringContaining(`escapement explain ${scheduleId} 2026-03-01T01:00:00.000Z`),
    },
  ]);
  await trigger.passes.claim();
  expect(await found('overdue')).toEqual([]);
});

it('finds firings that wait for their start, and claims that no trigger checks', async () => {
  const { scheduleId, trigger } = await running();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  ledger().clock.advance(31_000);
  expect(await found('late')).toMatchObject([{ text: expect.stringContaining(`'${scheduleId}'`) }]);
  await ledger().query(`update escapement.firings set owner = $1, first_attempted_at = $2, check_at = $2`, [
    randomUUID(),
    '2026-03-01T01:00:00Z',
  ]);
  ledger().clock.advance(120_000);
  expect(await found('stuck_claims')).toMatchObject([{ severity: 'critical' }]);
});

it('does not take claims for stuck that triggers leave alone since their namespace does not answer', async () => {
  const { trigger } = await running();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await ledger().query(`update escapement.firings set owner = $1, first_attempted_at = $2, check_at = $2`, [
    randomUUID(),
    '2026-03-01T01:00:00Z',
  ]);
  ledger().clock.advance(180_000);
  await trigger.passes.heartbeat();
  expect(await found('stuck_claims')).toHaveLength(1);
  const away = [{ namespace: 'default', since: '2026-03-01T01:00:00Z', error: 'no answer', status: 'UNAVAILABLE' }];
  await ledger().query('update escapement.triggers set away = $1', [JSON.stringify(away)]);
  expect(await found('namespace_unreachable')).toHaveLength(1);
  expect(await found('stuck_claims')).toEqual([]);
});

it('finds schedules that are set aside, and those that nothing would ever wake', async () => {
  const { scheduleId } = await running();
  await ledger().query(`update escapement.schedules set spec_error = 'its zone is unknown'`);
  expect(await found('schedule_set_aside')).toMatchObject([
    {
      text: `1 schedule has a definition that cannot be used and does not fire: '${scheduleId}'. The first: its zone is unknown.`,
      action: expect.stringContaining(`escapement schedule update ${scheduleId}`),
    },
  ]);
  await ledger().query(`update escapement.schedules set spec_error = null`);
  await ledger().query(`update escapement.timers set wake_at = 'infinity', next_fire_at = null`);
  expect(await found('never_fires')).toMatchObject([{ text: expect.stringContaining(scheduleId) }]);
});

it('finds by the alerts that are open what it does not find by itself, and nothing of those that are over', async () => {
  await running();
  const conditions = ['not_done', 'missed', 'recovered', 'running_long', 'failing', 'skipped'];
  for (const condition of conditions) {
    await ledger().query(
      `insert into escapement.alerts (alert_id, condition, subject, schedule_id, opened_at, last_seen_at, looked_at, count, text)
       values ($1, $2, 's', 's', now(), now(), now(), 3, 'text')`,
      [randomUUID(), condition],
    );
  }
  const read = await findings();
  expect(read.map(({ id }) => id)).toEqual(conditions);
  for (const { id, severity } of read) expect(severity, id).toBe(severityOf(id as AlertCondition));
  expect(await found('not_done')).toMatchObject([{ text: "1 schedule has a firing past its deadline: 's'." }]);
  await ledger().query('update escapement.alerts set resolved_at = now()');
  expect(await findings()).toEqual([]);
});

it('finds workflows that get nowhere, and letters and parked steps that wait for a person', async () => {
  const { scheduleId, trigger } = await running();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.heartbeat();
  await ledger().query(`update escapement.firings set state = 'linked', stalled = 'no_worker'`);
  const letter = randomUUID();
  const open = (letterId: string, kind: string) =>
    ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
       values ($1, $2, '2026-02-01Z', 0, $3, 'open', 'failed', 'default', '2026-02-01Z', '2026-02-01Z')`,
      [letterId, scheduleId, kind],
    );
  await open(letter, 'workflow');
  await open(randomUUID(), 'parked');
  const all = await findings();
  expect(all.map(({ id }) => id)).toEqual(['stalled', 'parked', 'dead_letter']);
  expect(all[1]!.text).toContain('for more than a day');
  expect(all[2]!.action).toContain(letter);
});

it('finds what triggers say of namespaces and of caps, and triggers of other versions', async () => {
  await running();
  const since = '2026-03-01T00:20:00.000Z';
  await ledger().query(
    `update escapement.triggers set away = $1, caps = $2, tz = '2019a', host = 'elsewhere', schema_version = 9`,
    [
      JSON.stringify([{ namespace: 'billing', since, error: 'no route to host' }]),
      JSON.stringify([{ taskQueue: 'reports', perSecond: 3, since }]),
    ],
  );
  const all = await findings();
  expect(all.map(({ id, text }) => [id, text])).toEqual([
    ['namespace_unreachable', expect.stringContaining("'billing' since 2026-03-01T00:20:00.000Z: no route to host")],
    ['trigger_outdated', expect.stringContaining("'elsewhere'")],
    ['zone_data_differs', expect.stringContaining("2019a on 'elsewhere'")],
    ['cap_full', expect.stringContaining("'reports'")],
  ]);
});

it('finds a month without a partition, and one that is kept beyond the retention, with what keeps it', async () => {
  const { scheduleId } = await running();
  await ledger().query(`select escapement.ensure_partition('2025-06-01Z')`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id, claimed_at)
     values ($1, '2025-06-02Z', 'linked', 'schedule', 'default', 1, 'w', '2025-06-02Z')`,
    [scheduleId],
  );
  await ledger().query('drop table escapement.firings_202603');
  const all = await findings();
  expect(all.map(({ id, text }) => [id, text])).toEqual([
    ['partition_missing', expect.stringContaining('2026-03')],
    ['retention_held', expect.stringContaining(`'${scheduleId}' at 2025-06-02`)],
  ]);
});

it('finds a task queue that no worker polls', async () => {
  const { scheduleId } = await running();
  const handle = ledger().client.getHandle(scheduleId);
  await handle.update((described) => ({ ...described, action: { ...described.action, taskQueue: 'jbos' } }));
  expect(await found('no_poller')).toMatchObject([{ text: expect.stringContaining("'jbos'"), runBook: 'workers' }]);
});

it('finds a search attribute that the namespace does not have, or has of another type', async () => {
  await running();
  const setting = (scheduleId: string, attributes: object) =>
    ledger().client.create(
      someSchedule({
        scheduleId,
        action: { type: 'startWorkflow', workflowType: 'w', taskQueue: worker().taskQueue, ...attributes },
      }),
    );
  const key = (name: string, type: string) => ({ name, type }) as never;
  await setting('untyped', { searchAttributes: { TeamThatNobodyKnows: ['ops'] } });
  await setting('typed', { typedSearchAttributes: [{ key: key('WorkflowType', 'INT'), value: 1 }] });
  await setting('right', { typedSearchAttributes: [{ key: key('BatcherUser', 'KEYWORD'), value: 'ops' }] });
  const texts = (await found('search_attribute_missing')).map(({ text, action }) => `${text} ${action}`);
  expect(texts).toEqual([
    expect.stringContaining("no search attribute 'TeamThatNobodyKnows', which 1 schedule sets"),
    expect.stringContaining("no search attribute 'WorkflowType' of type Int"),
  ]);
  expect(texts[0]).toContain(
    'temporal operator search-attribute create --namespace default --name TeamThatNobodyKnows --type Keyword.',
  );
  expect(texts[1]).toMatch(/There it has the type Keyword\. Correct the type in the schedules\.$/);
});

it('finds a schedule that failed several times in a row, though no trigger was alive to open an alert', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const fail = (hour: number) =>
    ledger().query(`
      insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at)
        values ('${scheduleId}', '2026-02-28T0${hour}:00Z', 'closed', 'failed', 'schedule', 'default', 1, '2026-02-28T0${hour}:00Z');
      insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
        values (gen_random_uuid(), '${scheduleId}', '2026-02-28T0${hour}:00Z', 0, 'workflow', 'discarded', 'failed', 'default', '2026-02-28Z', '2026-02-28Z')`);
  await ledger().query(`select escapement.ensure_partition('2026-02-01Z')`);
  await fail(1);
  await fail(2);
  expect(await found('failing')).toEqual([]);
  await fail(3);
  expect(await found('failing')).toMatchObject([
    { severity: 'warning', runBook: 'a-poison-step', text: expect.stringContaining(scheduleId) },
  ]);
});

it('finds a namespace that is not there, and a server that does not answer', async () => {
  await running();
  await ledger().client.create(
    someSchedule({ namespace: 'nowhere', action: { type: 'startWorkflow', workflowType: 'w', taskQueue: 'q' } }),
  );
  expect(await found('namespace_missing')).toMatchObject([{ text: expect.stringContaining("'nowhere'") }]);
  const temporal = { connection: { address: NOBODY }, namespaces: {}, namespace: 'default' };
  expect((await found('temporal_unreachable', { temporal })).length).toBe(2);
});

it('finds that Postgres does not answer, takes no writes, or has no schema', async () => {
  await running();
  const { databaseUrl } = ledger();
  const away = databaseUrl.replace(/@[^/]+\//, `@${NOBODY}/`);
  expect(await findings({ postgres: { connectionString: away } })).toMatchObject([
    { id: 'ledger_unavailable', severity: 'critical' },
  ]);
  expect(await found('schema', { postgres: { connectionString: databaseUrl, schema: 'elsewhere' } })).toMatchObject([
    { text: expect.stringContaining('escapement db migrate --schema elsewhere') },
  ]);
  const name = new URL(databaseUrl).pathname.slice(1);
  await ledger().query(`alter database "${name}" set default_transaction_read_only = on`);
  expect(await found('read_only')).toMatchObject([{ severity: 'critical' }]);
});

it('finds a pooler that lends connections by the statement', async () => {
  await running();
  const connectionString = await pgbouncerOf(ledger().databaseUrl, 'statement');
  expect(await findings({ postgres: { connectionString } })).toMatchObject([
    { id: 'pooler_mode', severity: 'critical', action: expect.stringContaining('pool_mode = transaction') },
  ]);
});

it('finds sessions that idle with locks, and snapshots that stay open', async () => {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const { scheduleId } = await running();
  expect(await readIdleLocks(store, { idleForSeconds: 0 })).toEqual([]);
  const session = new Client({ connectionString: ledger().databaseUrl, application_name: 'somebody' });
  await session.connect();
  try {
    await session.query('begin isolation level repeatable read');
    await session.query('select from escapement.schedules');
    expect(await readIdleLocks(store, { idleForSeconds: 0 })).toEqual([]);
    expect(await readOldSnapshots(store, { olderThanSeconds: 0 })).toMatchObject([{ name: 'somebody' }]);
    await session.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
    expect(await readIdleLocks(store, { idleForSeconds: 0 })).toMatchObject([{ name: 'somebody' }]);
  } finally {
    await session.end();
  }
});
