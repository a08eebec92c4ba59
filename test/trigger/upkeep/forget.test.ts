import { expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { acquireLease } from '../../../store/leases';
import { watchedPool } from '../../support/connections/watched-pool';
import { uniqueName, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-01-15T00:30:00Z');
const DAY = 86_400_000;

/** A letter of the firing of that time. */
async function letterOf(name: string, scheduledTime: string, state: string, changed = scheduledTime): Promise<void> {
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace,
       created_at, updated_at) values (gen_random_uuid(), $1, $2, 0, 'workflow', $3, 'failed', 'default', $2, $4)`,
    [name, scheduledTime, state, changed],
  );
}

const lettersLeft = async () =>
  (await ledger().query('select schedule_id from escapement.dead_letters order by 1')).map((row) => row.schedule_id);
const leasesLeft = async () =>
  (await ledger().query('select resource from escapement.leases order by 1')).map((row) => row.resource);

async function leaseUntil(resource: string, until: string): Promise<void> {
  await ledger().query(
    `insert into escapement.leases (resource, token, holder, acquired_at, expires_at)
     values ($1, 1, 'somebody', now() - interval '2 days', now() + $2::interval)`,
    [resource, until],
  );
}

it('settled letters go with their firings’ retention, and those that somebody changed or must still see stay', async () => {
  const trigger = await ledger().trigger();
  await ledger().query(`select escapement.ensure_partition('2025-11-03T00:00:00Z'::timestamptz)`);
  await letterOf('resolved', '2025-11-03T00:00:00Z', 'resolved');
  await letterOf('discarded', '2025-11-03T00:00:00Z', 'discarded');
  await letterOf('changed of late', '2025-11-03T00:00:00Z', 'resolved', '2026-02-20T00:00:00Z');
  await letterOf('of a month that stays', '2025-12-01T00:00:00Z', 'resolved');
  await trigger.passes.sweep();
  expect(await lettersLeft()).toHaveLength(4);
  // November ended 90 days before this very instant.
  ledger().clock.set(new Date(Date.parse('2025-12-01T00:00:00Z') + 90 * DAY).toISOString());
  await letterOf('open', '2025-12-03T00:00:00Z', 'open');
  await trigger.passes.sweep();
  expect(await lettersLeft()).toEqual(['changed of late', 'of a month that stays', 'open']);
});

it('of a month that was archived and exists again, a letter that no archive has stays', async () => {
  await ledger().client.settings.set({ archiveFirst: true });
  const trigger = await ledger().trigger();
  await ledger().query(`select escapement.ensure_partition('2025-11-01Z');
    insert into escapement.meta values ('retention_floor', '"2025-12-01T00:00:00Z"'), ('archived_to', '"2025-12-01T00:00:00Z"')`);
  await letterOf('archived', '2025-11-03T00:00:00Z', 'resolved');
  await letterOf('open', '2025-11-03T00:00:00Z', 'open');
  await letterOf('discarded after the archive', '2025-11-03T00:00:00Z', 'discarded', '2026-03-10T00:00:00Z');
  ledger().clock.set('2026-08-01T00:00:00Z');
  await trigger.passes.sweep();
  expect(await lettersLeft()).toEqual(['discarded after the archive', 'open']);
});

it('of more than a batch all go', async () => {
  await ledger().query(`insert into escapement.leases (resource, token, holder, acquired_at, expires_at)
    select 'ended ' || n, n, 'somebody', now() - interval '3 days', now() - interval '2 days' from generate_series(1, 1001) n`);
  const trigger = await ledger().trigger();
  await trigger.passes.sweep();
  expect(await leasesLeft()).toEqual([]);
});

it('leases go a day after they ended, and the next token is greater nevertheless', async () => {
  await leaseUntil('ended long ago', '-25 hours');
  await leaseUntil('ended', '-23 hours');
  await leaseUntil('held', '1 minute');
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const take = async () => {
    const { token } = await acquireLease(store, { resource: 'invoice', holder: 'one', ttlMilliseconds: 1_000 });
    return token!;
  };
  const before = await take();
  await ledger().query(
    `update escapement.leases set expires_at = now() - interval '2 days' where resource = 'invoice'`,
  );
  const trigger = await ledger().trigger();
  await trigger.passes.sweep();
  expect(await leasesLeft()).toEqual(['ended', 'held']);
  expect(await take()).toBeGreaterThan(before);
});

it('a trigger that may not delete them keeps them, says so at its start, does not try, and goes on', async () => {
  const role = uniqueName('runtime').replaceAll('-', '_');
  await ledger().query(`create role ${role}; grant usage on schema escapement to ${role};
    grant select, insert, update on all tables in schema escapement to ${role};
    grant delete on escapement.triggers, escapement.firings to ${role};
    grant execute on all functions in schema escapement to ${role}`);
  try {
    const url = new URL(ledger().databaseUrl);
    url.searchParams.set('options', `-c role=${role}`);
    await leaseUntil('ended long ago', '-25 hours');
    const deletes: string[] = [];
    const asRole = { databaseUrl: url.href, beforeClose: (undo: () => Promise<void>) => ledger().beforeClose(undo) };
    const pool = watchedPool(asRole, { before: (text) => /delete from/.test(text) && deletes.push(text) });
    const trigger = await ledger().trigger({ pool });
    const said = ledger().log.lines.filter(({ message }) => message.startsWith('rights are missing'));
    const tables = [
      'alert_messages',
      'alert_silences',
      'alerts',
      'api_audit',
      'api_requests',
      'bulk_operations',
      'dead_letters',
      'firing_counts',
      'gaps',
      'leases',
    ];
    const grant = tables.map((table) => `delete on escapement.${table}`);
    expect(said).toMatchObject([{ level: 'warn', meta: { grant } }]);
    await trigger.passes.sweep();
    expect(await leasesLeft()).toEqual(['ended long ago']);
    // Postgres would log an error a sweep.
    expect(deletes).toEqual([]);
    await trigger.shutdown();
  } finally {
    await ledger().query(`drop owned by ${role}; drop role ${role}`);
  }
});

it('what people were told goes after a month, and alerts that are over go with the retention', async () => {
  const trigger = await ledger().trigger();
  await ledger().query(
    `insert into escapement.alerts (alert_id, condition, subject, opened_at, last_seen_at, looked_at, resolved_at, count, text)
     values (gen_random_uuid(), 'late', 'over', '2025-12-01Z', '2025-12-01Z', '2025-12-01Z', '2025-12-02Z', 1, ''),
       (gen_random_uuid(), 'late', 'over of late', '2025-12-01Z', '2025-12-01Z', '2025-12-01Z', '2026-01-14Z', 1, ''),
       (gen_random_uuid(), 'failing', 'open', '2025-12-01Z', '2025-12-01Z', '2025-12-01Z', null, 1, '')`,
  );
  await ledger().query(
    `insert into escapement.alert_messages (message_id, target, alert_id, body, created_at, delivered_at)
     select gen_random_uuid(), target, gen_random_uuid(), '{}', created_at::timestamptz, null
     from (values ('old', '2025-12-16T00:29:00Z'), ('new', '2025-12-16T00:31:00Z')) x (target, created_at)`,
  );
  await ledger().query(
    `insert into escapement.alert_silences (silence_id, until, reason, actor, created_at)
     select gen_random_uuid(), until::timestamptz, reason, 'ops', '2025-01-01Z'
     from (values ('old', '2025-12-16T00:29:00Z'), ('new', '2025-12-16T00:31:00Z')) x (reason, until)`,
  );
  const left = async () =>
    [
      ...(await ledger().query('select subject as name from escapement.alerts order by 1')),
      ...(await ledger().query('select target as name from escapement.alert_messages')),
      ...(await ledger().query('select reason as name from escapement.alert_silences')),
    ].map(({ name }) => name);
  await trigger.passes.sweep();
  expect(await left()).toEqual(['open', 'over', 'over of late', 'new', 'new']);
  ledger().clock.set('2026-03-05T00:00:00Z');
  await trigger.passes.sweep();
  expect(await left()).toEqual(['open', 'over of late']);
});

it('a bulk operation goes 90 days after its end, however old its request is', async () => {
  const { passes } = await ledger().trigger();
  await ledger().query(
    `insert into escapement.bulk_operations (operation_id, kind, actor, filter, change, total, created_at, ended_at)
     select gen_random_uuid(), 'trigger', actor, '{}', '{}', 1, '2025-10-01Z', ended_at::timestamptz
     from (values ('ended', '2025-10-02Z'), ('ended of late', '2026-01-14Z'), ('running', null)) x (actor, ended_at)`,
  );
  await passes.sweep();
  expect(await ledger().query('select actor from escapement.bulk_operations order by 1')).toEqual([
    { actor: 'ended of late' },
    { actor: 'running' },
  ]);
});

it('an alert that is over stays as long as its messages, since a purge finds these by their alert', async () => {
  await ledger().client.settings.set({ retention: '10 days' });
  const { passes } = await ledger().trigger();
  await ledger().query(
    `with over as (
       insert into escapement.alerts (alert_id, condition, subject, opened_at, last_seen_at, looked_at, resolved_at, count, text)
         values (gen_random_uuid(), 'late', 'over', '2026-01-01Z', '2026-01-01Z', '2026-01-01Z', '2026-01-02Z', 1, '') returning *)
     insert into escapement.alert_messages (message_id, target, alert_id, body, created_at)
       select gen_random_uuid(), 'webhook', alert_id, '{}', resolved_at from over`,
  );
  const left = () =>
    ledger().query(
      'select subject as of from escapement.alerts union all select target from escapement.alert_messages',
    );
  await passes.sweep();
  expect(await left()).toEqual([{ of: 'over' }, { of: 'webhook' }]);
  ledger().clock.set('2026-02-02T00:00:00Z');
  await passes.sweep();
  expect(await left()).toEqual([]);
});

it('rows of a table go although Postgres refuses to delete those of a table before it', async () => {
  const { passes } = await ledger().trigger();
  await leaseUntil('ended long ago', '-25 hours');
  await ledger().query(`insert into escapement.alert_silences (silence_id, until, reason, actor, created_at)
      values (gen_random_uuid(), '2025-01-02Z', 'old', 'ops', '2025-01-01Z');
    create function escapement.refuses() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
    create trigger refuses before delete on escapement.leases for each row execute function escapement.refuses()`);
  await expect(passes.sweep()).rejects.toThrow('not this one');
  expect(await leasesLeft()).toEqual(['ended long ago']);
  expect(await ledger().query('select from escapement.alert_silences')).toEqual([]);
});

it('a sweep deletes no further bulk operation if those before it had many schedules', async () => {
  const { passes } = await ledger().trigger();
  await ledger().query(
    `insert into escapement.bulk_operations (operation_id, kind, actor, filter, change, total, created_at, ended_at)
     select gen_random_uuid(), 'trigger', actor, '{}', '{}', total, '2025-09-01Z', ended_at::timestamptz
     from (values ('third', 60000, '2025-10-03Z'), ('first', 20000, '2025-10-01Z'), ('second', 60000, '2025-10-02Z'))
       x (actor, total, ended_at)`,
  );
  const left = () => ledger().query('select actor from escapement.bulk_operations');
  await passes.sweep();
  expect(await left()).toEqual([{ actor: 'third' }]);
  await passes.sweep();
  expect(await left()).toEqual([]);
});
