import { expect, it } from 'vitest';
import { archive } from '../../owner/archive/archive';
import { restore } from '../../owner/archive/restore';
import { temporaryFolder } from '../support/folder';
import { useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-06-15T00:30:00Z');

const options = () => ({ now: () => new Date(ledger().clock.now()), onProgress: () => undefined });
const postgres = () => ({ connectionString: ledger().databaseUrl });
const month = (first: string) =>
  ledger().query(`select escapement.ensure_partition('${first}'::timestamptz);
    insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
      values ('nightly', '${first}', 'skipped', 'schedule', 'default', 1, '${first}')`);
const lateGap = () =>
  ledger().query(
    `insert into escapement.gaps values ('nightly', '2026-02-10Z', '2026-02-10Z', 1, 'paused', '2026-06-16Z')`,
  );

it('what is written about an archived month goes with the next one, also if an earlier month is archived again first', async () => {
  const folder = await temporaryFolder();
  const archived = async () => (await archive(postgres(), folder, { ...options(), drop: true })).months;
  await ledger().client.settings.set({ archiveFirst: true });
  for (const first of ['2026-01-01Z', '2026-02-01Z']) await month(first);
  expect(await archived()).toMatchObject([{ name: '2026-01' }, { name: '2026-02' }]);
  await restore(postgres(), folder, { ...options(), month: '2026-01', keepMilliseconds: 1_000 });
  ledger().clock.set('2026-06-16T00:00:00Z');
  await lateGap();
  ledger().clock.set('2026-06-17T00:00:00Z');
  expect(await archived()).toMatchObject([{ name: '2026-01-2', gaps: 0 }]);
  ledger().clock.set('2026-07-15T00:00:00Z');
  await month('2026-03-01Z');
  expect(await archived()).toMatchObject([{ name: '2026-03', gaps: 1 }]);
});

it('what is written about a month goes with the next one, also if the run that wrote the month died before it was recorded', async () => {
  const folder = await temporaryFolder();
  const archived = async () => (await archive(postgres(), folder, options())).months;
  await ledger().client.settings.set({ archiveFirst: true });
  await month('2026-02-01Z');
  expect(await archived()).toMatchObject([{ name: '2026-02', gaps: 0 }]);
  await ledger().query('delete from escapement.archives');
  ledger().clock.set('2026-06-16T00:00:00Z');
  await lateGap();
  ledger().clock.set('2026-07-15T00:00:00Z');
  await month('2026-03-01Z');
  expect(await archived()).toMatchObject([
    { name: '2026-02', written: false },
    { name: '2026-03', gaps: 1 },
  ]);
});

it('a month that lies in two places counts as dropped in both, whichever run dropped it', async () => {
  await ledger().client.settings.set({ archiveFirst: true });
  await month('2026-02-01Z');
  await archive(postgres(), await temporaryFolder(), options());
  // Before a dump and load, an earlier month had the OID.
  await ledger().query(`insert into escapement.archives select (jsonb_populate_record(a, jsonb_build_object(
      'archive_id', gen_random_uuid(), 'place', 'elsewhere', 'month', '2026-01-01'))).* from escapement.archives a`);
  await archive(postgres(), await temporaryFolder(), { ...options(), drop: true });
  const droppedAt = new Date(ledger().clock.now());
  expect(await ledger().query('select month::text, dropped_at from escapement.archives order by month')).toEqual([
    { month: '2026-01-01', dropped_at: null },
    { month: '2026-02-01', dropped_at: droppedAt },
    { month: '2026-02-01', dropped_at: droppedAt },
  ]);
});

it('a month that a writer keeps from being counted is said to be locked or not counted, not to be held by readers', async () => {
  await ledger().client.settings.set({ archiveFirst: true });
  await month('2026-02-01Z');
  await ledger().query(`begin; update escapement.firings set reason = reason`);
  const { stderr } = await runCommand(['archive', await temporaryFolder()], { DATABASE_URL: ledger().databaseUrl });
  await ledger().query('rollback');
  expect(stderr).toBe('2026-02 and what follows stay: it is locked or not counted yet.');
});

it('a month is restored while an index of another one is built', async () => {
  const folder = await temporaryFolder();
  await ledger().client.settings.set({ archiveFirst: true });
  await month('2026-01-01Z');
  await archive(postgres(), folder, { ...options(), drop: true });
  await month('2026-05-01Z');
  await ledger().sql.query('begin; lock table escapement.firings_202605 in share update exclusive mode');
  await restore(postgres(), folder, { ...options(), month: '2026-01', keepMilliseconds: 1_000 });
  await ledger().sql.query('commit');
  expect(await ledger().query('select from escapement.firings_202601')).toHaveLength(1);
});
