import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { EscapementClient } from '../../index';
import { migrate, migrations } from '../../migrations';
import { migrateBy } from '../../migrations/migrate';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('an owner of the schema alone can migrate, and a role with the documented grants can run everything', async () => {
  const owner = uniqueName('owner').replaceAll('-', '_');
  const runtime = uniqueName('runtime').replaceAll('-', '_');
  const as = (role: string) => {
    const url = new URL(ledger().databaseUrl);
    url.searchParams.set('options', `-c role=${role}`);
    return url.href;
  };
  await ledger().query(`create role ${owner}`);
  await ledger().query(`create role ${runtime}`);
  try {
    // The name of a schema may be a reserved word.
    await ledger().query(`create schema "order" authorization ${owner}`);
    expect(await migrate({ connectionString: as(owner), schema: 'order' })).toEqual(Object.keys(migrations('order')));

    const documented = /```sql\n(grant [\s\S]*?)```/.exec(
      readFileSync(join(__dirname, '../../docs/tables.md'), 'utf8'),
    )![1]!;
    const asOwner = new Client({ connectionString: as(owner) });
    await asOwner.connect();
    await asOwner.query(
      documented
        .replaceAll('escapement.', '"order".')
        .replaceAll('schema escapement', 'schema "order"')
        .replaceAll('my_role', runtime),
    );
    await asOwner.end();

    const options = { connectionString: as(runtime), schema: 'order' };
    const client = new EscapementClient({ ...options, now: () => new Date(ledger().clock.now()) });
    const handle = await client.create(someSchedule());
    await handle.trigger();
    await handle.pause();
    await handle.unpause();
    await handle.update((previous) => ({ ...previous, policies: { catchupLimit: 3 } }));
    await handle.exclude('2026-03-01T05:00:00Z');
    await handle.include('2026-03-01T05:00:00Z');
    const month = new Date('2025-07-01T00:00:00Z');
    await handle.backfill({ start: month, end: month, dryRun: true });
    await handle.explain(month);
    await client.close();
    const trigger = await ledger().trigger(options);
    await trigger.passes.heartbeat();
    await trigger.passes.sweep();
    ledger().clock.set('2026-03-01T01:00:00Z');
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    await trigger.passes.reconcile();
    await trigger.passes.observe();

    // The rights that an older release documented. The trigger still fires, and reports what it cannot do.
    await ledger().query(`revoke delete on "order".gaps from ${runtime};
      insert into "order".gaps values ('one', '2020-01-01Z', '2020-01-01Z', 1, 'paused', '2020-01-01Z');
      insert into "order".meta values ('retention_floor', '"2020-02-01T00:00:00Z"')`);
    const older = await ledger().trigger(options);
    expect(ledger().log.lines).toContainEqual({
      level: 'warn',
      message: 'rights are missing, so some work is left undone',
      meta: { grant: ['delete on "order".gaps'] },
    });
    await older.passes.sweep();
    const gaps = () => ledger().query(`select from "order".gaps where schedule_id = 'one'`);
    expect(await gaps()).toHaveLength(1);
    await ledger().query(`grant delete on "order".gaps to ${runtime}`);
    await older.passes.sweep();
    expect(await gaps()).toEqual([]);

    // With one right missing, the trigger names it before anything fires.
    await ledger().query(`revoke insert on "order".dead_letters from ${runtime};
      revoke execute on function "order".ensure_partition(timestamptz, boolean) from ${runtime}`);
    await expect(ledger().trigger(options)).rejects.toMatchObject({
      name: 'MissingRightsError',
      role: runtime,
      missing: [
        'insert on "order".dead_letters',
        'execute on function "order".ensure_partition(timestamp with time zone,boolean)',
      ],
    });
    await ledger().query(`revoke usage on schema "order" from ${runtime}`);
    await expect(ledger().trigger(options)).rejects.toThrow(
      `grant usage on schema "order" to "${runtime}"; grant insert`,
    );
  } finally {
    await ledger().query(`drop owned by ${runtime}; drop schema if exists "order" cascade; drop owned by ${owner}`);
    await ledger().query(`drop role ${runtime}; drop role ${owner}`);
  }
});

it('a trigger’s role with grants from before the counts keeps calling them, though everybody loses that', async () => {
  const trigger = uniqueName('Trigger');
  const maker = uniqueName('maker');
  const options = { connectionString: ledger().databaseUrl, schema: 'cron' };
  const older = (schema: string) =>
    Object.fromEntries(Object.entries(migrations(schema)).filter(([name]) => name < '0065'));
  await migrateBy(older, options);
  await ledger().query(`create role "${trigger}"; create role "${maker}"`);
  ledger().beforeClose(async () => {
    await ledger().query(`drop owned by "${trigger}", "${maker}"; drop role "${trigger}", "${maker}"`);
  });
  await ledger().query(`grant execute on function cron.retire_partition to "${trigger}"`);
  // Of a ledger that two roles have migrated.
  await ledger().query(`alter function cron.ensure_partition owner to "${maker}"`);
  const everybody = ['public', trigger, maker];
  const callers = () =>
    ledger().query(
      `select proname as name,
         array(select r from unnest($1::text[]) r where has_function_privilege(r::name, oid, 'execute')) as callers
       from pg_proc where pronamespace = 'cron'::regnamespace and proname = any($2::name[]) order by proname`,
      [everybody, ['begin_counts', 'count_firings', 'follow_counts', 'retire_partition']],
    );
  expect(await callers()).toMatchObject([{ callers: everybody }, { callers: everybody }, { callers: everybody }, {}]);
  expect(await migrate(options)).toContain('0065-callers');
  expect(await callers()).toEqual([
    { name: 'begin_counts', callers: [trigger] },
    { name: 'count_firings', callers: [trigger] },
    { name: 'follow_counts', callers: [maker] },
    { name: 'retire_partition', callers: [trigger] },
  ]);
});

it('a month is the same whatever the session thinks of dates', async () => {
  await ledger().query(`set datestyle = 'SQL, DMY'`);
  // Written as IST, which Postgres reads as Israel's.
  await ledger().query(`set timezone = 'Asia/Kolkata'`);
  await ledger().query(`select escapement.ensure_partition('2032-05-03T12:00:00Z')`);
  const [{ bounds }] = (await ledger().query(
    `select pg_get_expr(relpartbound, oid) as bounds from pg_class where relname = 'firings_203205'`,
  )) as [{ bounds: string }];
  await ledger().query(`set datestyle = 'ISO'`);
  await ledger().query(`set timezone = 'UTC'`);
  const [{ again }] = (await ledger().query(
    `select pg_get_expr(relpartbound, oid) as again from pg_class where relname = 'firings_203205'`,
  )) as [{ again: string }];
  expect(again).toBe(`FOR VALUES FROM ('2032-05-01 00:00:00+00') TO ('2032-06-01 00:00:00+00')`);
  expect(bounds).not.toBe(again);
});
