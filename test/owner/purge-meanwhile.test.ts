import { Client } from 'pg';
import { expect, it } from 'vitest';
import { purge } from '../../owner/purge/purge';
import { openStore } from '../../store/connection';
import { adoptFiring } from '../../store/firings/adopt';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A purge whose statements wait `limit` for a lock, except those that lift the usual limit of two seconds. */
function erase({
  before = () => undefined,
  limit = '1ms',
  onProgress = () => undefined,
}: {
  before?: (text: string) => unknown;
  limit?: string;
  onProgress?: (sentence: string) => void;
} = {}) {
  const instead = (text: string) =>
    // Each statement gets its limits by itself.
    text
      .replace(`current_setting('statement_timeout') <> '0'`, 'false')
      .replace(`lock_timeout = '2s'`, `lock_timeout = '${limit}'`);
  return purge(
    { pool: watchedPool(ledger(), { before, instead }, 1) },
    { scheduleId: 'one' },
    { actor: 'dpo', now: () => new Date(ledger().clock.now()), onProgress },
  );
}

/** Another session changes or locks rows. @returns ends its transaction */
async function held(statement: string): Promise<() => Promise<unknown>> {
  const other = new Client({ connectionString: ledger().databaseUrl });
  await other.connect();
  ledger().beforeClose(() => other.end());
  await other.query(`begin; ${statement}`);
  return () => other.query('commit');
}

/** Resolves once so many sessions wait for a lock. */
async function waiting(sessions: number): Promise<void> {
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await ledger().query(waits)).length, { timeout: 60_000 }).toBe(sessions);
}

it('a purge also erases the row that somebody changes at that moment, and all rows behind it', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z'::timestamptz);
    insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at)
      select 'one', '2026-03-01Z'::timestamptz + n * interval '1 second', 'closed', 'failed', 'schedule', 'default', 1, now()
      from generate_series(1, 1500) n`);
  const letGo = await held(
    `update escapement.firings set check_at = now() where scheduled_time = '2026-03-01T00:00:01Z'`,
  );
  const erased = erase();
  await waiting(1);
  await letGo();
  expect(await erased).toMatchObject({ counts: { firings: 1_500 } });
  expect(await ledger().query('select count(*)::int from escapement.firings')).toEqual([{ count: 0 }]);
});

/** A schedule with an alert that was sent. @returns an alert pass */
async function alerted(): Promise<() => Promise<unknown>> {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  const { passes } = await ledger().trigger();
  await passes.alert();
  await ledger().query(`
    insert into escapement.alert_targets (target, since, next_attempt_at) values ('webhook', now(), now());
    insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, told_at, count, text)
      values (gen_random_uuid(), 'failing', 'one', '', 'one', now(), now(), now(), now(), 1, 'failed')`);
  return () => passes.alert();
}

/** Let each statement of a kind wait at its end. @returns lets them go on */
async function holdUp(event: string): Promise<() => Promise<unknown>> {
  await ledger().query(`select pg_advisory_lock(1);
    create function escapement.hold() returns trigger language plpgsql as $$ begin
      perform set_config('lock_timeout', '0', true), pg_advisory_xact_lock(1);
      return null; end $$;
    create trigger hold after ${event} for each statement execute function escapement.hold()`);
  return () => ledger().query('select pg_advisory_unlock(1)');
}

async function expectNothingLeft(purged: Promise<unknown>): Promise<void> {
  expect(await purged).toMatchObject({ counts: { alerts: 1, alert_messages: 1 } });
  expect(await ledger().query('select from escapement.alerts')).toEqual([]);
  expect(await ledger().query('select from escapement.alert_messages')).toEqual([]);
}

it('a purge also erases the messages about alerts that a pass resolves since the schedule is deleted', async () => {
  const pass = await alerted();
  const letGo = await holdUp('update on escapement.api_requests');
  const erased = erase();
  await waiting(1);
  expect(await pass()).toMatchObject({ resolved: [{ scheduleId: 'one' }] });
  await letGo();
  await expectNothingLeft(erased);
});

it('a purge waits for an alert pass, whose messages it would not see', async () => {
  const pass = await alerted();
  await ledger().client.getHandle('one').delete();
  const letGo = await holdUp('insert on escapement.alert_messages');
  const passed = pass();
  await waiting(1);
  const erased = erase();
  await waiting(2);
  await letGo();
  await passed;
  await expectNothingLeft(erased);
});

it('a purge waits for the message of an alert that somebody has locked, however long', async () => {
  const pass = await alerted();
  await ledger().client.getHandle('one').delete();
  await pass();
  const letGo = await held('select from escapement.alert_messages for update');
  let tries = 0;
  const before = (text: string) => {
    if (/delete from "escapement"."alerts"/.test(text)) tries += 1;
  };
  const erased = erase({ before });
  await expect.poll(() => tries, { timeout: 60_000 }).toBeGreaterThan(1);
  await letGo();
  await expectNothingLeft(erased);
});

it('a purge repeats what a lock has stopped, before it erases rows and after, and says so', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  const goOn = await holdUp('update on escapement.api_requests');
  const lock = 'select from escapement.timers for update';
  let tries = 0;
  const tried = () => expect.poll(() => tries, { timeout: 60_000 }).toBeGreaterThan(1);
  let letGo = await held(lock);
  const before = (text: string) => {
    if (/timers[^;]*for update/.test(text)) tries += 1;
  };
  const said: string[] = [];
  const erased = erase({ before, onProgress: (sentence) => said.push(sentence) });
  await tried();
  await letGo();
  await waiting(1);
  letGo = await held(lock);
  tries = 0;
  await goOn();
  await tried();
  await letGo();
  expect(await erased).toMatchObject({ schedules: 1 });
  expect(said).toEqual([
    ...Array.from({ length: 2 }, () => expect.stringContaining('another session has locked rows')),
    '1 schedule is erased',
  ]);
});

it('if a schedule is created again while its tenant is purged, no row of the others stays, and the repeat erases it too', async () => {
  for (const scheduleId of ['one', 'two']) {
    await ledger().client.create(someSchedule({ scheduleId, tenant: 'acme' }));
    await ledger().query(`insert into escapement.gaps values ($1, '2026-02-01Z', '2026-02-02Z', 2, 'paused', now())`, [
      scheduleId,
    ]);
  }
  // Stored answers are emptied first.
  await ledger().query(
    `create function escapement.revive() returns trigger language plpgsql as $$ begin
       update escapement.schedules set deleted_at = null where schedule_id = 'two'; return null; end $$;
     create trigger revive after update on escapement.api_requests for each statement execute function escapement.revive()`,
  );
  const eraseTenant = () =>
    purge(
      { connectionString: ledger().databaseUrl },
      { tenant: 'acme' },
      { actor: 'dpo', onProgress: () => undefined },
    );
  await expect(eraseTenant()).rejects.toMatchObject({
    name: 'PurgeInterruptedError',
    schedules: 1,
  });
  for (const table of ['schedules', 'gaps', 'timers']) {
    const ids = await ledger().query(`select schedule_id as id from escapement.${table}`);
    expect(ids, table).toEqual([{ id: 'two' }]);
  }

  await ledger().query('drop trigger revive on escapement.api_requests');
  expect(await eraseTenant()).toMatchObject({ schedules: 1, counts: { gaps: 1 } });
  expect(await ledger().query('select from escapement.gaps')).toEqual([]);
  expect(
    await ledger().query(
      `select schedules::int, counts ->> 'gaps' as gaps, ended_at is not null as ended from escapement.purges`,
    ),
  ).toEqual([{ schedules: 2, gaps: '2', ended: true }]);
});

it('what a schedule hands over ahead while a purge waits for its lock is not fired again', async () => {
  const { client, clock } = ledger();
  await client.create(someSchedule({ scheduleId: 'one' }));
  await ledger().query(`
    insert into escapement.moves (schedule_id, namespace, state, fingerprint, version, stays_paused, actor, imported_at, updated_at)
      values ('one', 'default', 'cut_over', '', 1, false, 'test', now(), now())`);
  const letGo = await held(`update escapement.timers set answered_to = '2026-03-01T01:00:00Z'`);
  const erased = erase({ limit: '60s' });
  await waiting(1);
  clock.set('2026-03-01T00:55:00Z');
  await letGo();
  await erased;
  await client.create(someSchedule({ scheduleId: 'one' }));
  clock.set('2026-03-01T01:00:10Z');
  await (await ledger().trigger()).passes.claim();
  expect(await ledger().firings('one')).toEqual([]);
});

it('a purge also erases the firing of a run that a trigger adopts since the rows were erased', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z'::timestamptz)`);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const now = new Date('2026-03-01T00:10:00Z');
  const lost = {
    ...{ scheduleId: 'one', scheduledTime: now, kind: 'schedule' as const, actor: null, epoch: 0, version: 1 },
    ...{ namespace: 'default', workflowId: 'w', runId: 'r', startedAt: now },
    ...{ cancelAt: null, state: null, rowEpoch: null, startsAt: null },
  };
  const adopter = { owner: '01a4c0de-0000-7000-8000-000000000001', now };
  let [locks, adopted]: [number, string | undefined] = [0, undefined];
  const erased = erase({
    before: async (text) => {
      // The schedules are locked once before their rows are erased, and once after.
      if (/timers[^;]*for update/.test(text) && ++locks === 2) adopted = await adoptFiring(store, lost, adopter);
    },
  });
  expect(await erased).toMatchObject({ schedules: 1, counts: { firings: 1 } });
  expect(adopted).toBe('adopted');
  expect(await ledger().query('select from escapement.firings')).toEqual([]);
});
