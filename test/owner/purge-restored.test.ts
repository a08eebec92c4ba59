import { expect, it } from 'vitest';
import { archive } from '../../owner/archive/archive';
import { restore } from '../../owner/archive/restore';
import { purge } from '../../owner/purge/purge';
import { watchedPool } from '../support/connections/watched-pool';
import { temporaryFolder } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const postgres = () => ({ connectionString: ledger().databaseUrl });
const options = () => ({ actor: 'dpo', now: () => new Date(ledger().clock.now()), onProgress: () => undefined });

const TITLE =
  'what was erased stays out when its month is restored, and all the rest is archived again, archiving first: %s';

it.each([false, true])(TITLE, async (archiveFirst) => {
  await ledger().client.settings.set({ archiveFirst });
  for (const scheduleId of ['one', 'two']) await ledger().client.create(someSchedule({ scheduleId }));
  // The first archive also takes older gaps, whose months have no table.
  await ledger().query(`select escapement.ensure_partition('2025-01-01Z'::timestamptz);
    insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at, closed_at)
      select id, '2025-01-05Z', 'closed', 'completed', 'schedule', 'default', 1, '2025-01-05Z', '2025-01-05Z' from unnest(array['one', 'two']) id;
    insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
      select gen_random_uuid(), id, '2025-01-05Z', 0, 'workflow', 'resolved', 'failed', 'default', '2025-01-05Z', '2025-01-05Z'
      from unnest(array['one', 'two']) id;
    insert into escapement.gaps select id, at, at, 1, 'paused', at
      from unnest(array['one', 'two']) id, unnest(array['2024-11-05Z', '2025-01-06Z']::timestamptz[]) at;
    select escapement.retire_partition('2025-01-01Z'::timestamptz)`);
  const folder = await temporaryFolder();
  await archive(postgres(), folder, { ...options(), drop: true });
  const { passes } = await ledger().trigger();
  await passes.sweep();
  await purge(postgres(), { scheduleId: 'one' }, options());
  const month = { month: '2025-01', keepMilliseconds: 1_000 };
  const counts = { firings: 1, gaps: 2, letters: 1 };
  expect(await restore(postgres(), folder, { ...options(), ...month })).toMatchObject(counts);
  await passes.sweep();
  await expect(purge(postgres(), { scheduleId: 'one' }, options())).rejects.toMatchObject({
    name: 'InvalidOptionError',
  });
  ledger().clock.set('2026-04-01T00:00:00Z');
  await passes.sweep();
  const { months } = await archive(postgres(), folder, options());
  expect(months).toMatchObject([{ name: '2025-01-2', ...counts }]);
  await passes.sweep();
  expect(await ledger().query('select from escapement.gaps union all select from escapement.dead_letters')).toEqual([]);
});

it('of a schedule that was created again after its purge, a restore brings back its own rows, and none of the erased one', async () => {
  const create = (scheduleId: string) => ledger().client.create(someSchedule({ scheduleId }));
  await create('one');
  await create('two');
  const folder = await temporaryFolder();
  /** Archives and drops the month with these firings, each with a letter, and these gaps. */
  const archived = async (
    firings: [id: string, version: number, time: string][],
    gaps: [id: string, time: string][],
  ) => {
    await ledger().query(`select escapement.ensure_partition('2025-01-01Z'::timestamptz, true)`);
    for (const firing of firings) {
      await ledger().query(
        `with f as (
          insert into escapement.firings (schedule_id, schedule_version, scheduled_time, state, outcome, kind, namespace, claimed_at, closed_at)
          values ($1, $2::int, $3, 'closed', 'failed', case when $2::int < 0 then 'manual' else 'backfill' end, 'default', $3, $3) returning *)
        insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
          select gen_random_uuid(), schedule_id, scheduled_time, 0, 'workflow', 'resolved', 'failed', 'default', claimed_at, claimed_at from f`,
        firing,
      );
    }
    for (const gap of gaps)
      await ledger().query(`insert into escapement.gaps values ($1, $2, $2, 1, 'paused', $2)`, gap);
    await ledger().query(`select escapement.retire_partition('2025-01-01Z'::timestamptz)`);
    await archive(postgres(), folder, { ...options(), drop: true });
    await ledger().query('delete from escapement.gaps; delete from escapement.letters');
  };
  await archived(
    [
      ['one', 1, '2025-01-05T00:00:00Z'],
      // A manual firing may be later than all that the schedule had answered.
      ['one', -2, '2025-01-15T00:00:00.500Z'],
      ['two', 1, '2025-01-05T00:00:00Z'],
    ],
    [
      ['one', '2025-01-06T00:00:00Z'],
      ['two', '2025-01-06T00:00:00Z'],
    ],
  );
  await ledger().query(`
    update escapement.timers set answered_to = '2025-01-10Z';
    insert into escapement.schedule_versions select (jsonb_populate_record(v, '{"version": -2}')).*
      from escapement.schedule_versions v where schedule_id = 'one'`);
  await purge(postgres(), { scheduleId: 'one' }, options());
  await create('one');
  expect(await ledger().query(`select version from escapement.schedules where schedule_id = 'one'`)).toEqual([
    { version: 3 },
  ]);
  await archived(
    [
      ['one', 3, '2025-01-02T00:00:00Z'],
      ['one', -4, '2025-01-20T00:00:00.500Z'],
    ],
    [['one', '2025-01-21T00:00:00Z']],
  );
  // A failover may lose the new schedule.
  await ledger().query(`delete from escapement.schedules where schedule_id = 'one'`);
  await restore(postgres(), folder, { ...options(), month: '2025-01', keepMilliseconds: 1_000 });
  const rows = (columns: string, table: string) =>
    ledger().query(`select schedule_id as id, ${columns} from escapement.${table} order by 1, 2`);
  expect(await rows('schedule_version as version', 'firings')).toEqual([
    { id: 'one', version: -4 },
    { id: 'one', version: 3 },
    { id: 'two', version: 1 },
  ]);
  expect(await rows('scheduled_time as time', 'letters')).toEqual([
    { id: 'one', time: new Date('2025-01-02T00:00:00Z') },
    { id: 'one', time: new Date('2025-01-20T00:00:00.500Z') },
    { id: 'two', time: new Date('2025-01-05T00:00:00Z') },
  ]);
  expect(await rows('from_time as time', 'gaps')).toEqual([
    { id: 'one', time: new Date('2025-01-21T00:00:00Z') },
    { id: 'two', time: new Date('2025-01-06T00:00:00Z') },
  ]);
});

it('a purge is refused during a restore, which could bring rows back, and a restore during a purge, but no other purge', async () => {
  for (const scheduleId of ['one', 'two']) await ledger().client.create(someSchedule({ scheduleId }));
  await ledger().query(`select escapement.ensure_partition('2025-01-01Z'::timestamptz);
    insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at, closed_at)
      values ('one', '2025-01-05Z', 'closed', 'completed', 'schedule', 'default', 1, '2025-01-05Z', '2025-01-05Z');
    select escapement.retire_partition('2025-01-01Z'::timestamptz)`);
  const folder = await temporaryFolder();
  await archive(postgres(), folder, { ...options(), drop: true });
  const month = { ...options(), month: '2025-01', keepMilliseconds: 1_000 };
  const busy = (doing: string) => ({
    name: 'ArchiveBusyError',
    message: `another run is ${doing} this ledger; try again when it has ended`,
  });
  /** A pool that does something else before its first statement with a text. */
  const pausedAt = (part: string, meanwhile: () => Promise<unknown>) => {
    let isFirst = true;
    const before = (text: string) => {
      if (!isFirst || !text.includes(part)) return undefined;
      isFirst = false;
      return meanwhile();
    };
    return { pool: watchedPool(ledger(), { before }, 1) };
  };

  let looked = 0;
  const restoring = pausedAt('in share update exclusive mode', async () => {
    await expect(purge(postgres(), { scheduleId: 'one' }, options())).rejects.toMatchObject(
      busy('archiving or restoring'),
    );
    looked += 1;
  });
  expect(await restore(restoring, folder, month)).toMatchObject({ firings: 1 });

  const purging = pausedAt('delete from "escapement"."schedules"', async () => {
    const busyToo = busy('archiving, restoring or purging');
    await expect(restore(postgres(), folder, month)).rejects.toMatchObject(busyToo);
    await expect(archive(postgres(), folder, options())).rejects.toMatchObject(busyToo);
    await purge(postgres(), { scheduleId: 'two' }, options());
    looked += 1;
  });
  expect(await purge(purging, { scheduleId: 'one' }, options())).toMatchObject({
    schedules: 1,
    counts: { firings: 1 },
  });
  expect(looked).toBe(2);
  expect(await restore(postgres(), folder, month)).toMatchObject({ firings: 0 });
});

it('rows that an earlier release has left of an erased schedule are erased once somebody asks for it', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  await purge(postgres(), { scheduleId: 'one' }, options());
  await ledger().query(`insert into escapement.gaps values ('one', '2025-01-05Z', '2025-01-05Z', 1, 'paused', now())`);
  expect(await purge(postgres(), { scheduleId: 'one' }, options())).toMatchObject({ counts: { gaps: 1 } });
  expect(await ledger().query('select from escapement.gaps')).toEqual([]);
});

it('an answer that the API stored during a purge is emptied by the next one, and a mere word in it is refused', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  await purge(postgres(), { scheduleId: 'one' }, options());
  await ledger().query(
    `insert into escapement.api_requests values ('["ops",null]', 'key', 'request', now(), 201, '{}', $1)`,
    [JSON.stringify({ scheduleId: 'one', state: 'paused' })],
  );
  await expect(purge(postgres(), { scheduleId: 'paused' }, options())).rejects.toMatchObject({
    name: 'InvalidOptionError',
  });
  expect(await purge(postgres(), { scheduleId: 'one' }, options())).toMatchObject({ counts: { api_requests: 1 } });
  expect(await ledger().query('select body from escapement.api_requests')).toEqual([{ body: 'null' }]);
});

it('a restored month that a trigger retires while an archive begins is archived again with all its rows', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  const retire = `select escapement.retire_partition('2025-01-01Z'::timestamptz)`;
  await ledger().query(`select escapement.ensure_partition('2025-01-01Z'::timestamptz);
    insert into escapement.gaps values ('one', '2024-11-05Z', '2024-11-05Z', 1, 'paused', '2024-11-05Z');
    ${retire}`);
  const folder = await temporaryFolder();
  // It also takes the older gap, whose month has no table.
  await archive(postgres(), folder, { ...options(), drop: true });
  await restore(postgres(), folder, { ...options(), month: '2025-01', keepMilliseconds: 1_000 });
  const before = (text: string) => (text.includes('^archived_firings_') ? ledger().query(retire) : undefined);
  const pool = watchedPool(ledger(), { before }, 1);
  const again = await archive({ pool }, folder, options());
  expect(again.months).toMatchObject([{ name: '2025-01-2', gaps: 1, written: true }]);
  // The next run forgets that the month was restored.
  expect((await archive(postgres(), folder, options())).months).toMatchObject([{ name: '2025-01-2', written: false }]);
  expect(await ledger().query(`select value from escapement.meta where key = 'restored_months'`)).toEqual([
    { value: {} },
  ]);
});
