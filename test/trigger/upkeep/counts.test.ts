import { Client } from 'pg';
import { expect, it } from 'vitest';
import { archive } from '../../../owner/archive/archive';
import { restore } from '../../../owner/archive/restore';
import { purge } from '../../../owner/purge/purge';
import { openStore } from '../../../store/connection';
import { countGaps, countMonths } from '../../../store/firings/counts';
import { temporaryFolder } from '../../support/folder';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-01-15T00:30:00Z');

const WHO = ['one', 'two'] as const;

/** Two tenants, whose firings of October and November have ended in all ways, and a gap in each month. */
async function fill(): Promise<void> {
  for (const scheduleId of WHO) {
    await ledger().client.create({ ...someSchedule({ scheduleId, spec: { cron: '0 0 1 1 *' } }), tenant: scheduleId });
  }
  await ledger().query(`update escapement.schedule_versions set created_at = '2025-01-01Z'`);
  for (const month of ['2025-10-01Z', '2025-11-01Z', '2026-01-01Z'])
    await ledger().query(`select escapement.ensure_partition('${month}')`);
  await ledger().query(`
    insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, run_id, recovery, claimed_at)
    select id, t, state, case when state = 'closed' then (array['completed', 'failed', 'canceled'])[n % 3 + 1] end, 'backfill', 'default', 1,
      case when state = 'closed' and n % 5 > 0 then 'run' end, case when n % 4 = 0 then '{"number": 1}'::jsonb end, t
    from unnest('{one,two}'::text[]) id, generate_series(0, 60) n,
      lateral (select '2025-10-01Z'::timestamptz + n * interval '1 day' as t,
        (array['closed', 'closed', 'skipped', 'abandoned'])[n % 4 + 1] as state) x;
    insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
    select id, t, t + interval '3 days 12 hours', 10, 'paused', t + interval '1 day'
    from unnest('{one,two}'::text[]) id, unnest('{2025-10-05Z,2025-11-05Z,2026-01-05Z}'::timestamptz[]) t`);
}

/** The same by arithmetic alone, over the rows that are there. */
async function byHand(tenant?: string): Promise<object> {
  const [row] = await ledger().query<object>(
    `with f as (select * from escapement.firings where $1::text is null or schedule_id = $1)
     select count(*)::int as total, count(run_id)::int as linked, (count(*) filter (where state = 'abandoned'))::int as abandoned,
       (count(*) filter (where state = 'skipped'))::int as skipped, (count(*) filter (where outcome = 'completed'))::int as completed,
       (count(*) filter (where outcome in ('failed', 'timed_out')))::int as failed, count(recovery)::int as attempted,
       (select coalesce(sum(count), 0)::int from escapement.ledger where state = 'gap' and ($1::text is null or schedule_id = $1)) as missed
     from f`,
    [tenant ?? null],
  );
  return row!;
}

async function told(tenant?: string): Promise<object> {
  const { total, linked, abandoned, skipped, completed, failed, recoveries, missed } = await ledger().client.stats(
    tenant === undefined ? {} : { tenant },
  );
  return { total, linked, abandoned, skipped, completed, failed, attempted: recoveries.attempted, missed };
}

async function expectRight(): Promise<void> {
  for (const tenant of [undefined, ...WHO, 'nobody']) expect(await told(tenant), tenant).toEqual(await byHand(tenant));
}

const counted = () => ledger().query<{ rows: number }>('select count(*)::int as rows from escapement.firing_counts');

it('the counts of all time follow each change of months that were counted', async () => {
  await fill();
  await expectRight();
  const trigger = await ledger().trigger();
  await trigger.passes.sweep();
  await expectRight();
  expect(await counted()).toEqual([{ rows: 4 }]);

  // Firings that are run again with another end, started late, recovered, included or rewritten; in a counted gap, and
  // in a new month.
  for (const change of [
    `update escapement.firings set state = 'linked', outcome = null where outcome = 'failed'`,
    `update escapement.firings set state = 'closed', outcome = 'completed', run_id = 'again' where state = 'linked'`,
    `update escapement.firings set recovery = '{"number": 2}' where schedule_id = 'two'`,
    `delete from escapement.firings where schedule_id = 'one' and scheduled_time in ('2025-10-06Z', '2025-10-20Z')`,
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at)
       values ('one', '2025-11-06T10:00Z', 'closed', 'completed', 'backfill', 'default', 1, now())`,
    `select escapement.ensure_partition('2025-09-01Z')`,
    `insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, claimed_at)
       values ('two', '2025-09-06T10:00Z', 'skipped', 'overlap', 'backfill', 'default', 1, now())`,
  ]) {
    await ledger().query(change);
    await expectRight();
  }
  const all = await told();
  await trigger.passes.sweep();
  // September is past retention: it was retired, and stays among the counts.
  expect(await told()).toEqual(all);
  expect(await counted()).toEqual([{ rows: 5 }]);
});

it('the counts of all time stay when a month is retired, dropped and restored, and what was missed when its gap is deleted', async () => {
  await fill();
  const all = await byHand();
  const trigger = await ledger().trigger();
  const folder = await temporaryFolder();
  const postgres = { connectionString: ledger().databaseUrl };
  const options = { now: () => new Date(ledger().clock.now()), onProgress: () => undefined };
  await ledger().client.settings.set({ archiveFirst: true });
  await trigger.passes.heartbeat();

  ledger().clock.set('2026-03-20T00:00:00Z');
  const { months } = await archive(postgres, folder, { ...options, drop: true });
  expect(months.map(({ name }) => name)).toEqual(['2025-10', '2025-11']);
  expect(await told()).toEqual(all);
  await trigger.passes.sweep();
  expect(await ledger().query('select from escapement.gaps')).toHaveLength(2);
  expect(await told()).toEqual(all);

  await restore(postgres, folder, { ...options, month: '2025-10', keepMilliseconds: 86_400_000 });
  await trigger.passes.sweep();
  expect(await told()).toEqual(all);
  const { length: some } = await ledger().query(
    `update escapement.firings set state = 'skipped', outcome = null where outcome = 'completed' returning 1`,
  );
  expect(some).toBeGreaterThan(0);
  expect(await told()).toMatchObject({ total: 122, completed: (all as { completed: number }).completed - some });
  const changed = await told();

  // After its time it is retired again, and is not counted twice.
  ledger().clock.advance(2 * 86_400_000);
  await archive(postgres, folder, { ...options, drop: true });
  await trigger.passes.sweep();
  expect(await told()).toEqual(changed);
});

it('the counts stay right when a month is restored whose schedule was erased with its counts', async () => {
  await fill();
  const trigger = await ledger().trigger();
  const folder = await temporaryFolder();
  const postgres = { connectionString: ledger().databaseUrl };
  const options = { actor: 'dpo', now: () => new Date(ledger().clock.now()), onProgress: () => undefined };
  await ledger().client.settings.set({ archiveFirst: true });
  await trigger.passes.heartbeat();
  ledger().clock.set('2026-03-20T00:00:00Z');
  await archive(postgres, folder, { ...options, drop: true });
  await trigger.passes.sweep();

  const one = await told('one');
  await purge(postgres, { tenant: 'two' }, options);
  expect(await told()).toEqual(one);
  await ledger().client.create({ ...someSchedule({ scheduleId: 'two' }), tenant: 'two' });
  await restore(postgres, folder, { ...options, month: '2025-10', keepMilliseconds: 86_400_000 });
  await trigger.passes.sweep();
  // If rows of the erased one came back, they would now be subtracted from its tenant's counts, which were erased.
  await purge(postgres, { scheduleId: 'two' }, options);
  expect(await told()).toEqual(one);
  expect(await told('one')).toEqual(one);
  ledger().clock.advance(2 * 86_400_000);
  await archive(postgres, folder, { ...options, drop: true });
  await trigger.passes.sweep();
  expect(await told()).toEqual(one);
});

it('a purge subtracts a firing once, however often its month was restored, and twice if it was fired again', async () => {
  await fill();
  const { passes } = await ledger().trigger();
  const folder = await temporaryFolder();
  const postgres = { connectionString: ledger().databaseUrl };
  const options = { actor: 'dpo', now: () => new Date(ledger().clock.now()), onProgress: () => undefined };
  await ledger().client.settings.set({ archiveFirst: true });
  await passes.heartbeat();
  ledger().clock.set('2026-03-20T00:00:00Z');
  await archive(postgres, folder, options);
  const october = { ...options, month: '2025-10', keepMilliseconds: 86_400_000 };
  await restore(postgres, folder, october);
  await ledger().query(`select escapement.retire_partition('2025-10-01Z')`);
  await restore(postgres, folder, october);
  await ledger().query(`select escapement.ensure_partition('2025-11-01Z', true);
    insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, claimed_at)
      values ('one', '2025-11-08Z', 'skipped', 'overlap', 'backfill', 'default', 1, now())`);
  const two = await told('two');
  expect(await told('one')).toMatchObject({ total: 62 });
  await purge(postgres, { scheduleId: 'one' }, options);
  expect(await told('one')).toMatchObject({ total: 0, linked: 0, skipped: 0, abandoned: 0, completed: 0, failed: 0 });
  expect(await told('two')).toEqual(two);
});

it('what is under way while a month is counted is counted once, whenever it is committed', async () => {
  await fill();
  const url = ledger().databaseUrl;
  const store = openStore({ connectionString: url });
  const writer = new Client({ connectionString: url });
  await writer.connect();
  const insert = (at: string) =>
    writer.query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
      values ('one', '${at}', 'skipped', 'backfill', 'default', 1, now())`);
  try {
    const now = ledger().clock.now();
    await writer.query('begin');
    await insert('2025-10-06T11:00Z');
    // It does not wait for locks; the month is counted the next time.
    expect(await countMonths(store, now)).toBeUndefined();
    await writer.query('commit');
    await store.db.connection().execute(async () => undefined);
    await ledger().query(`select escapement.begin_counts('2025-10-01Z')`);
    await writer.query('begin');
    await insert('2025-10-06T12:00Z');
    expect(await ledger().query(`select escapement.count_firings('2025-10-01Z', '2025-11-01Z') as counted`)).toEqual([
      { counted: true },
    ]);
    await countGaps(store, new Date('2025-11-01Z'));
    await writer.query('commit');
    await expectRight();
    await countMonths(store, now);
    await expectRight();
  } finally {
    await writer.end();
    await store.close();
  }
});

it('a month is counted while an index of another one is built', async () => {
  await fill();
  const store = openStore({ connectionString: ledger().databaseUrl });
  await ledger().sql.query('begin; lock table escapement.firings_202601 in share update exclusive mode');
  try {
    expect(await countMonths(store, ledger().clock.now())).toEqual(new Date('2025-12-01Z'));
  } finally {
    await ledger().sql.query('commit');
    await store.close();
  }
});

it('a great month is counted day by day, and goes on where it was left', async () => {
  await fill();
  const store = openStore({ connectionString: ledger().databaseUrl });
  try {
    await ledger().query(`select escapement.begin_counts('2025-10-01Z')`);
    await ledger().query(`select escapement.count_firings('2025-10-01Z', '2025-10-02Z')`);
    await expectRight();
    await ledger().query(`update escapement.firings set state = 'skipped', outcome = null where outcome = 'failed'`);
    await expectRight();
    expect(await countMonths(store, ledger().clock.now(), { atOnceBytes: 0 })).toEqual(new Date('2025-12-01Z'));
    await expectRight();
    await (await ledger().trigger()).passes.sweep();
    await expectRight();
    expect(await counted()).toEqual([{ rows: 4 }]);
  } finally {
    await store.close();
  }
});
