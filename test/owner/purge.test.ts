import { expect, it } from 'vitest';
import { archive } from '../../owner/archive/archive';
import { type PurgeOptions, purge } from '../../owner/purge/purge';
import { openStore } from '../../store/connection';
import { acquireLease } from '../../store/leases';
import { temporaryFolder } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const SECRET = 'Ödipus-7f3a';

const postgres = () => ({ connectionString: ledger().databaseUrl });
const options = (more: Partial<PurgeOptions> = {}): PurgeOptions => ({
  actor: 'dpo',
  now: () => new Date(ledger().clock.now()),
  onProgress: () => undefined,
  ...more,
});

/** Every row of every table of the database's schema, as text. */
async function dump(): Promise<string> {
  const tables = await ledger().query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'escapement'::regnamespace and relkind = 'r' order by 1`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    for (const row of await ledger().query(`select x::text as text from only escapement."${name}" x`)) {
      rows.push(`${name} ${row.text}`);
    }
  }
  return rows.join('\n');
}

/** The forms in which a text may be in a table: as it is, escaped in JSON, in hex, or in base64 at any offset. */
function forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((at) =>
    Buffer.concat([Buffer.alloc(at), bytes])
      .toString('base64')
      .slice(at === 0 ? 0 : 4, -4),
  );
  return [text, JSON.stringify(text).slice(1, -1), bytes.toString('hex'), ...base64];
}

/** Everything that a tenant may leave in the ledger, each with the secret in it. */
async function leaveTraces(tenant: string, secret: string): Promise<void> {
  const client = ledger().newClient({ tenant, identity: `user ${secret}` });
  const handle = await client.create(
    someSchedule({
      scheduleId: `${tenant}-nightly`,
      action: {
        type: 'startWorkflow',
        workflowType: 'echoFiring',
        taskQueue: 'nobody-polls',
        args: [{ customer: secret }],
        memo: { secret },
        staticSummary: secret,
      },
      memo: { of: secret },
      state: { note: secret },
    }),
  );
  await handle.update((previous) => ({ ...previous, state: { ...previous.state, note: `again ${secret}` } }));
  await handle.exclude('2026-03-01T05:00:00Z');
  await client.apply([someSchedule({ scheduleId: `${tenant}-applied` })], { source: secret, revision: 1 });
  await client.alerts.silence({ scheduleId: `${tenant}-nightly`, until: new Date('2027-01-01Z'), reason: secret });
  const id = `${tenant}-nightly`;
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, reason, kind, namespace, schedule_version, tenant,
        workflow_id, last_error, again, actor, claimed_at)
      values ($1, '2026-03-01T00:00:00Z', 'closed', 'failed', null, 'schedule', 'default', 1, $2, $1 || '/eu-workflow-1', $3,
        jsonb_build_object('note', $3::text), $3, now())`,
    [id, tenant, `boom ${secret}`],
  );
  for (const table of ['letters', 'dead_letters']) {
    await ledger().query(
      `insert into escapement.${table} (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, failed_step, note, created_at, updated_at)
        values (gen_random_uuid(), $1, '2026-03-01T00:00:00Z', $3, 'workflow', 'discarded', 'failed', 'default',
          jsonb_build_object('message', $2::text), $2, now(), now())`,
      [id, secret, table === 'letters' ? 0 : 1],
    );
  }
  await ledger().query(`insert into escapement.gaps values ($1, '2026-02-01Z', '2026-02-02Z', 2, 'paused', now())`, [
    id,
  ]);
  await ledger().query(
    `with alert as (insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
        values (gen_random_uuid(), 'failing', $1, $2, $1, now(), now(), now(), 1, $3) returning alert_id)
      insert into escapement.alert_messages (message_id, target, alert_id, body, created_at)
        select gen_random_uuid(), 'webhook', alert_id, $3, now() from alert`,
    [id, tenant, `failed: ${secret}`],
  );
  await ledger().query(
    `insert into escapement.api_requests (caller, key, fingerprint, created_at, status, body)
      select caller, key, 'two', now(), 201, $3
      from (values ($1, $2), ('["ops",null]', gen_random_uuid()::text)) x (caller, key)`,
    [JSON.stringify([secret, tenant]), `create-${id}`, JSON.stringify({ scheduleId: id, note: secret })],
  );
  const store = openStore(postgres());
  await acquireLease(store, {
    resource: JSON.stringify([tenant, secret]),
    holder: `${id}/eu-workflow-1/01a4c0de-0000-7000-8000-000000000001 x#1`,
    ttlMilliseconds: 1,
  });
  await store.close();
  await ledger().query(`update escapement.leases set expires_at = '2026-01-01Z'`);
  // A month that was counted and retired, and lies beside the others.
  await ledger().query(`select escapement.ensure_partition('2025-01-01Z'::timestamptz, true)`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, last_error, claimed_at)
      values ($1, '2025-01-01Z', 'skipped', 'schedule', 'default', 1, $2, now())`,
    [id, secret],
  );
  await ledger().query(`select escapement.begin_counts('2025-01-01Z'::timestamptz)`);
  await ledger().query(`select escapement.count_firings('2025-01-01Z'::timestamptz, '2025-02-01Z'::timestamptz)`);
  await ledger().query(`select escapement.retire_partition('2025-01-01Z'::timestamptz)`);
}

it('a tenant that left leaves no byte of its arguments, notes, memos and failure texts in any table, and others keep all', async () => {
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z'::timestamptz)`);
  await leaveTraces('other', 'Kept-1b2c');
  const kept = await dump();
  await leaveTraces('leaving', SECRET);
  await ledger().client.tenants.set('leaving', { schedules: 5 });
  const before = await dump();
  for (const form of forms(SECRET).slice(0, 1)) expect(before).toContain(form);
  expect(forms(SECRET).filter((form) => before.includes(form)).length).toBeGreaterThan(2);

  const env = { DATABASE_URL: ledger().databaseUrl, ESCAPEMENT_IDENTITY: 'dpo' };
  const dry = await runCommand(['purge', '--tenant', 'leaving', '--dry-run'], env);
  expect(dry).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Would erase 2 schedules \(.*firings: 3, letters: 2/),
  });
  expect(await dump()).toBe(before);
  expect(await runCommand(['purge', '--tenant', 'leaving'], env)).toMatchObject({ code: 1 });
  expect(await dump()).toBe(before);

  const purged = await runCommand(['purge', '--tenant', 'leaving', '--yes'], env);
  expect(purged).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Erased 2 schedules .*api_requests: 2/) });
  const after = await dump();
  for (const form of [...forms(SECRET), ...forms('leaving')]) expect(after).not.toContain(form);
  const rowsOf = (text: string) =>
    text.split('\n').filter((row) => !/^(meta|purges|triggers) |^api_requests .*,{},null\)$/.test(row));
  expect(rowsOf(after)).toEqual(rowsOf(kept));
  expect(
    await ledger().query(
      'select kind, actor, forced, schedules::int, ended_at is not null as ended from escapement.purges',
    ),
  ).toEqual([{ kind: 'tenant', actor: 'dpo', forced: false, schedules: 2, ended: true }]);
  expect(await runCommand(['purge', '--tenant', 'leaving', '--yes'], env)).toMatchObject({
    code: 1,
    stderr: "escapement: tenant: the ledger has nothing of a tenant 'leaving'",
  });
});

it('a schedule that was erased and is created again fires nothing that was handed over before', async () => {
  const { client, clock } = ledger();
  const schedule = someSchedule({ scheduleId: 'again' });
  await client.create(schedule);
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:10Z');
  await trigger.passes.claim();
  // Claimed ahead, as by a pre-start, or by a clock that went back since.
  await ledger().query(`update escapement.timers set answered_to = '2026-03-01T02:00:00Z'`);
  const refused = purge(postgres(), { scheduleId: 'again' }, options());
  await expect(refused).rejects.toMatchObject({
    name: 'PurgeRefusedError',
    message: expect.stringMatching(/^1 workflow runs or is about to start/),
  });
  expect(await ledger().firings('again')).toHaveLength(1);
  expect((await client.getHandle('again').describe()).state.paused).toBe(false);

  const forced = await purge(postgres(), { scheduleId: 'again' }, options({ force: true }));
  expect(forced).toMatchObject({ schedules: 1, counts: { firings: 1, schedule_versions: 1 }, runningCount: 0 });
  await client.create(schedule);
  clock.set('2026-03-01T02:30:00Z');
  await trigger.passes.claim();
  expect(await ledger().firings('again')).toEqual([]);
  clock.set('2026-03-01T03:00:00Z');
  await trigger.passes.claim();
  expect((await ledger().firings('again')).map(({ scheduledTime }) => scheduledTime)).toEqual([
    new Date('2026-03-01T03:00:00Z'),
  ]);
});

const FROM_TEMPORAL =
  'a schedule that came from Temporal, was erased and is created again fires before its next occurrence there: %s';

it.each(['cut_over', 'rolling_back', 'imported'])(FROM_TEMPORAL, async (state) => {
  const { client, clock } = ledger();
  await client.create(someSchedule({ scheduleId: 'again', spec: { cron: '0 0 1 * *' } }));
  await ledger().query(
    `insert into escapement.moves (schedule_id, namespace, state, fingerprint, version, stays_paused, actor, imported_at, updated_at)
      values ('again', 'default', $1, '', 1, false, 'test', now(), now())`,
    [state],
  );
  await ledger().query(`update escapement.timers set answered_to = '2026-03-31T23:59:59.999Z'`);
  await purge(postgres(), { scheduleId: 'again' }, options());
  await client.create(someSchedule({ scheduleId: 'again' }));
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:10Z');
  await trigger.passes.claim();
  expect(await ledger().firings('again')).toHaveLength(1);
});

it('a schedule that was erased and is created again fires by its new definition, also by a trigger that knew the erased one', async () => {
  const { client, clock } = ledger();
  await client.create(someSchedule({ scheduleId: 'again' }));
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:10Z');
  await trigger.passes.claim();
  await purge(postgres(), { scheduleId: 'again' }, options({ force: true }));
  // A later purge, while that trigger still runs.
  await client.create(someSchedule({ scheduleId: 'other' }));
  await purge(postgres(), { scheduleId: 'other' }, options({ now: () => new Date('2027-03-01Z') }));
  await client.create(someSchedule({ scheduleId: 'again', spec: { cron: '30 * * * *' } }));
  clock.set('2026-03-01T02:30:10Z');
  await trigger.passes.claim();
  expect((await ledger().firings('again')).map(({ scheduledTime }) => scheduledTime)).toEqual([
    new Date('2026-03-01T02:30:00Z'),
    new Date('2026-03-01T01:30:00Z'),
  ]);
});

it('a manual firing with its own arguments gets no version that one of an erased schedule of the same name had', async () => {
  const { client } = ledger();
  const versions = async () => {
    const handle = await client.create(someSchedule({ scheduleId: 'again' }));
    for (let n = 0; n < 3; n++) await handle.trigger({ args: [n] });
    const rows = await ledger().query<{ version: number }>('select version from escapement.schedule_versions');
    return rows.map((row) => row.version);
  };
  const erased = await versions();
  await purge(postgres(), { scheduleId: 'again' }, options({ force: true }));
  expect(new Set([...erased, ...(await versions())]).size).toBe(8);
});

it('a purge that was killed goes on where it was, and what was created again meanwhile stays', async () => {
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'one', tenant: 'acme' }));
  await client.create(someSchedule({ scheduleId: 'two', tenant: 'acme' }));
  // Killed after it has stopped the schedules. The next run finds them by their rows.
  await ledger().query(`update escapement.schedules set deleted_at = now();
    delete from escapement.schedule_versions where schedule_id = 'one'`);
  expect(await purge(postgres(), { tenant: 'acme' }, options())).toMatchObject({ schedules: 2 });

  const handle = await client.create(someSchedule({ scheduleId: 'three' }));
  await ledger().query(
    `create function escapement.revive() returns trigger language plpgsql as $$ begin
       update escapement.schedules set deleted_at = null; return null; end $$;
     insert into escapement.gaps values ('three', '2026-02-01Z', '2026-02-02Z', 2, 'paused', now());
     create trigger revive after delete on escapement.gaps for each statement execute function escapement.revive()`,
  );
  await expect(purge(postgres(), { scheduleId: 'three' }, options())).rejects.toMatchObject({
    name: 'PurgeInterruptedError',
  });
  expect((await handle.describe()).scheduleId).toBe('three');
});

it('a purge says which archives may hold rows of it, and refuses what there never was', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  await ledger().query(`select escapement.ensure_partition('2025-01-01Z'::timestamptz);
    select escapement.retire_partition('2025-01-01Z'::timestamptz)`);
  const folder = await temporaryFolder();
  await archive(postgres(), folder, options());
  const env = { DATABASE_URL: ledger().databaseUrl };
  expect(await runCommand(['purge', '--schedule', 'one', '--yes'], env)).toMatchObject({
    code: 0,
    stderr: `Archives may still have rows of it, and are not changed: ${folder}`,
  });
  const none = { code: 1, stderr: "escapement: schedule: there is no schedule 'one', live or deleted" };
  expect(await runCommand(['purge', '--schedule', 'one', '--yes'], env)).toMatchObject(none);
  expect(await runCommand(['purge', '--yes'], env)).toMatchObject({
    stderr: 'escapement: give one of --schedule and --tenant',
  });
});

it('every table holds rows of schedules or tenants, and is erased by them, or none of anybody’s', async () => {
  const tables = await ledger().query<{ name: string }>(
    `select relname as name from pg_class c where relnamespace = 'escapement'::regnamespace and relkind = 'r'
       and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname in ('schedule_id', 'tenant')) order by 1`,
  );
  // By the alerts that they report; by their names; the rest says nothing of a schedule.
  expect(tables.map(({ name }) => name)).toEqual([
    'alert_messages',
    'alert_targets',
    'api_requests',
    'archives',
    'leases',
    'meta',
    'migrations',
    'purges',
    'triggers',
  ]);
});
