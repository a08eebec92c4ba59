import { appendFile, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { archive } from '../../owner/archive/archive';
import { restore } from '../../owner/archive/restore';
import { temporaryFolder } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-06-15T00:30:00Z');

/** A ledger whose October has firings, a gap at its end and a settled letter, all of it past retention. */
async function oldMonth(): Promise<{ folder: string }> {
  await ledger().client.create(someSchedule({ scheduleId: 'nightly', spec: { cron: '0 0 * * *' } }));
  await ledger().query(`
    update escapement.schedule_versions set created_at = '2025-01-01T00:00:00Z';
    select escapement.ensure_partition('2025-10-01Z'::timestamptz);
    insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, workflow_id,
        recovery, last_error, claimed_at, closed_at)
      select 'nightly', t, 'closed', 'completed', 'schedule', 'default', 1, 'nightly-workflow', '{"number": 1, "reason": null}',
        E'line\nbreak "ü"', t, t from generate_series('2025-10-01Z'::timestamptz, '2025-10-20Z', '1 day') t;
    insert into escapement.gaps values ('nightly', '2025-10-21Z', '2025-11-05Z', 16, 'paused', '2025-11-06Z');
    insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, note,
        created_at, updated_at)
      values (gen_random_uuid(), 'nightly', '2025-10-02Z', 0, 'workflow', 'resolved', 'failed', 'default', 'mended', '2025-10-02Z', '2025-10-02Z')`);
  return { folder: await temporaryFolder() };
}

const options = () => ({ now: () => new Date(ledger().clock.now()), onProgress: () => undefined });
const postgres = () => ({ connectionString: ledger().databaseUrl });
const explain = async (time: string) => (await ledger().client.getHandle('nightly').explain(time)).answer;
const tables = async () =>
  (
    await ledger().query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'escapement'::regnamespace and relkind = 'r'
         and relname ~ 'firings_2025' order by 1`,
    )
  ).map(({ name }) => name);

it('a retired month is written, read back and dropped, and answers explain again once it is restored', async () => {
  const { folder } = await oldMonth();
  const trigger = await ledger().trigger();
  const before = [await ledger().answers('nightly'), await ledger().query('table escapement.firings')];
  await ledger().client.settings.set({ archiveFirst: true });
  await trigger.passes.heartbeat();
  await trigger.passes.sweep();
  // It waits for the archive: month, gap and letter are there as they were.
  expect(await tables()).toEqual(['firings_202510']);
  expect(await ledger().answers('nightly')).toEqual(before[0]);

  const { months, held } = await archive(postgres(), folder, { ...options(), drop: true });
  expect(months).toMatchObject([{ name: '2025-10', firings: 20, gaps: 1, letters: 1, written: true, dropped: true }]);
  expect(held).toBeUndefined();
  await trigger.passes.sweep();
  expect(await tables()).toEqual([]);
  expect(await ledger().query('select from escapement.dead_letters')).toEqual([]);
  for (const time of ['2025-10-03T00:00:00Z', '2025-10-25T00:00:00Z']) expect(await explain(time)).toBe('retired');

  const restored = await runCommand(['archive', 'restore', folder, '--month', '2025-10', '--keep', '300 days'], {
    DATABASE_URL: ledger().databaseUrl,
  });
  expect(restored).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2025-10 is back until .*; written: 20 firings, 0 gaps, 1 letter\.$/),
  });
  await trigger.passes.sweep();
  expect(await explain('2025-10-03T00:00:00Z')).toBe('firing');
  expect(await explain('2025-10-25T00:00:00Z')).toBe('gap');
  expect(await ledger().answers('nightly')).toEqual(before[0]);
  expect(await ledger().query('table escapement.firings')).toEqual(before[1]);
  expect(await ledger().query('select note from escapement.dead_letters')).toEqual([{ note: 'mended' }]);

  // Its time over, which the command took from the database's clock, it is retired again, and goes into the archive
  // beside the first.
  ledger().clock.set(new Date(Date.now() + 365 * 86_400_000).toISOString());
  const again = await archive(postgres(), folder, { ...options(), drop: true });
  expect(again.months.map(({ name }) => name)).toContain('2025-10-2');
});

it.skipIf(process.platform !== 'linux')(
  'a full disk fails the archive by the name of the file, and nothing is dropped or left behind',
  async () => {
    const { folder } = await oldMonth();
    await ledger().client.settings.set({ archiveFirst: true });
    // Each write to this device fails as on a full disk.
    await symlink('/dev/full', join(folder, '2025-10.gaps.ndjson.gz.unfinished'));
    await expect(archive(postgres(), folder, { ...options(), drop: true })).rejects.toThrow(
      `${join(folder, '2025-10.gaps.ndjson.gz')} cannot be written: ENOSPC`,
    );
    expect(await readdir(folder)).toEqual(['2025-10.firings.ndjson.gz']);
    expect(await ledger().query('select count(*)::int from escapement.archived_firings_202510')).toEqual([
      { count: 20 },
    ]);
    const { months } = await archive(postgres(), folder, { ...options(), drop: true });
    expect(months).toMatchObject([{ name: '2025-10', firings: 20, gaps: 1, letters: 1, written: true, dropped: true }]);
  },
);

it('a sweep during a restore deletes none of the gaps and letters that come back', async () => {
  const { folder } = await oldMonth();
  await ledger().client.settings.set({ archiveFirst: true });
  await ledger().query(`update escapement.gaps set to_time = '2025-10-25Z', recorded_at = '2025-10-26Z'`);
  await archive(postgres(), folder, { ...options(), drop: true });
  const trigger = await ledger().trigger();
  const left = () => ledger().query('select from escapement.gaps union all select from escapement.dead_letters');
  await trigger.passes.sweep();
  expect(await left()).toEqual([]);

  // The restore waits just before it records the month as restored.
  await ledger().query(`select pg_advisory_lock(1);
    create function escapement.hold() returns trigger language plpgsql as $$ begin
      if new.key = 'restored_months' then
        perform set_config('lock_timeout', '0', true), pg_advisory_xact_lock(1);
      end if;
      return new; end $$;
    create trigger hold before insert on escapement.meta for each row execute function escapement.hold()`);
  const restored = restore(postgres(), folder, { ...options(), month: '2025-10', keepMilliseconds: 86_400_000 });
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await ledger().query(waits)).length, { timeout: 60_000 }).toBe(1);
  await trigger.passes.sweep();
  await ledger().query('select pg_advisory_unlock(1)');
  expect(await restored).toMatchObject({ gaps: 1, letters: 1 });
  await trigger.passes.sweep();
  expect(await left()).toHaveLength(2);
});

it('of a month that was archived twice, restore brings back what its rows were last', async () => {
  const { folder } = await oldMonth();
  const trigger = await ledger().trigger();
  await ledger().client.settings.set({ archiveFirst: true });
  await trigger.passes.heartbeat();
  await trigger.passes.sweep();
  await archive(postgres(), folder, { ...options(), drop: true });
  const back = { ...options(), month: '2025-10', keepMilliseconds: 1_000 };
  const slowly = { ...back, onProgress: () => ledger().clock.advance(10_000) };
  const { keptUntil } = await restore(postgres(), folder, slowly);
  expect(keptUntil).toEqual(new Date(ledger().clock.now() + 1_000));
  // Somebody runs an occurrence again, and writes another note on the letter.
  await ledger().query(`
    update escapement.firings set epoch = 1 where scheduled_time = '2025-10-03Z';
    update escapement.letters set note = 'mended again'`);
  ledger().clock.set('2026-06-15T01:30:00Z');
  const { months } = await archive(postgres(), folder, { ...options(), drop: true });
  expect(months.map(({ name }) => name)).toContain('2025-10-2');
  expect(await tables()).toEqual([]);

  const said: string[] = [];
  const twice = await restore(postgres(), folder, { ...back, onProgress: (sentence) => said.push(sentence) });
  expect(said).toEqual(
    ['20 of 20 firings', '1 of 1 gaps', '1 of 1 letters'].flatMap((what) => [`2025-10-2: ${what}`, `2025-10: ${what}`]),
  );
  // The ledger still has the gap and the letter.
  expect(twice).toMatchObject({ firings: 20, gaps: 0, letters: 0 });
  expect(await restore(postgres(), folder, back)).toMatchObject({ firings: 0, gaps: 0, letters: 0 });
  expect(await ledger().query(`select epoch from escapement.firings where scheduled_time = '2025-10-03Z'`)).toEqual([
    { epoch: 1 },
  ]);
  expect(await ledger().query('select note from escapement.dead_letters')).toEqual([{ note: 'mended again' }]);

  // Somebody deletes the older files, as after a purge. The next archive is above the one that is left.
  for (const file of await readdir(folder)) if (file.startsWith('2025-10.')) await rm(join(folder, file));
  ledger().clock.set('2026-06-15T02:30:00Z');
  const third = await archive(postgres(), folder, { ...options(), drop: true });
  expect(third.months.map(({ name }) => name)).toContain('2025-10-3');
});

it('what lies in an archive is shown without a database, by schedule and by time', async () => {
  const { folder } = await oldMonth();
  await (await ledger().trigger()).passes.sweep();
  // Retention has deleted the letter. To keep letters, archive first.
  const created = await runCommand(['archive', folder], { DATABASE_URL: ledger().databaseUrl });
  expect(created).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2025-10: 20 firings, 1 gap, 0 letters in \d+ bytes; written and read back\.$/),
  });
  const shown = await runCommand([
    'archive',
    'show',
    folder,
    '--schedule',
    'nightly',
    '--from',
    '2025-10-20',
    '--to',
    '2025-10-30',
  ]);
  expect(shown.stdout.split('\n')).toEqual([
    '2025-10-20T00:00:00+00:00 nightly schedule closed completed nightly-workflow',
    '2025-10-21T00:00:00+00:00 nightly gap to 2025-11-05T00:00:00+00:00 16 paused',
  ]);
  expect((await runCommand(['archive', 'show', folder, '--schedule', 'nobody'])).stdout).toBe('');
  expect((await runCommand(['archive', 'list', folder])).stdout).toMatch(/2025-10 +20 +1 +0 /);
});

it('nothing is dropped whose file is not what was written', async () => {
  const { folder } = await oldMonth();
  await (await ledger().trigger()).passes.sweep();
  await archive(postgres(), folder, options());
  const file = join(folder, '2025-10.firings.ndjson.gz');
  const whole = await readFile(file);
  for (const damage of [
    () => truncate(file, whole.length - 20),
    () => appendFile(file, 'x'),
    () =>
      writeFile(
        file,
        whole.map((byte, at) => (at === 100 ? byte ^ 1 : byte)),
      ),
  ]) {
    await damage();
    await expect(archive(postgres(), folder, { ...options(), drop: true })).rejects.toMatchObject({
      name: 'ArchiveDamagedError',
    });
    await expect(
      restore(postgres(), folder, { ...options(), month: '2025-10', keepMilliseconds: 1 }),
    ).rejects.toMatchObject({
      name: 'ArchiveDamagedError',
    });
    await writeFile(file, whole);
  }
  expect(await tables()).toEqual(['archived_firings_202510']);
  // Somebody has changed the month since, so it is archived again, and only that archive allows the drop.
  await ledger().query(`delete from escapement.archived_firings_202510 where scheduled_time = '2025-10-01Z'`);
  const { months } = await archive(postgres(), folder, { ...options(), drop: true });
  expect(months).toMatchObject([{ name: '2025-10-2', firings: 19, dropped: true }]);
  // The record keeps the first name, whose files may have rows that were erased since.
  const recorded = 'select name, firings::int, dropped_at is not null as dropped from escapement.archives';
  expect(await ledger().query(recorded)).toEqual([{ name: '2025-10', firings: 20, dropped: true }]);
  expect(await tables()).toEqual([]);
});

it('a run that was killed leaves no month that is half there, and the next one ends its work', async () => {
  const { folder } = await oldMonth();
  await (await ledger().trigger()).passes.sweep();
  const killed = archive(postgres(), folder, {
    ...options(),
    onProgress: () => {
      throw new Error('killed');
    },
  });
  await expect(killed).rejects.toThrow('killed');
  // As a process that dies leaves it, too.
  await writeFile(join(folder, '2025-10.firings.ndjson.gz.unfinished'), 'half');
  await writeFile(join(folder, '2025-10.gaps.ndjson.gz'), 'half');
  expect((await runCommand(['archive', 'list', folder])).stdout).not.toContain('2025-10');
  expect(await ledger().query('select from escapement.archives')).toEqual([]);
  const { months } = await archive(postgres(), folder, options());
  expect(months).toMatchObject([{ name: '2025-10', firings: 20, written: true }]);
  expect((await archive(postgres(), folder, options())).months).toMatchObject([{ name: '2025-10', written: false }]);
  expect(await readdir(folder)).toEqual([
    '2025-10.firings.ndjson.gz',
    '2025-10.gaps.ndjson.gz',
    '2025-10.json',
    '2025-10.letters.ndjson.gz',
  ]);
});

it('another ledger’s archive, a month that is not there, a URL of another kind and a role that owns nothing are refused', async () => {
  const { folder } = await oldMonth();
  await (await ledger().trigger()).passes.sweep();
  await archive(postgres(), folder, options());
  const env = { DATABASE_URL: ledger().databaseUrl };
  expect(await runCommand(['archive', 'restore', folder, '--month', '2025-09'], env)).toMatchObject({
    code: 1,
    stderr: `escapement: month: ${folder} has no archive of 2025-09; it has 2025-10`,
  });
  expect(await runCommand(['archive', 'gs://bucket'], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("place: 'gs://' is no place for archives"),
  });
  await expect(archive(postgres(), 'file://backups/escapement', options())).rejects.toMatchObject({
    name: 'InvalidOptionError',
    message: expect.stringContaining("place: 'file://backups/escapement' names no folder here; use file:///path"),
  });
  await ledger().query(
    `update escapement.meta set value = to_jsonb(gen_random_uuid()::text) where key = 'installation'`,
  );
  expect(await runCommand(['archive', folder, '--drop'], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has archives of another ledger'),
  });
  expect(await tables()).toEqual(['archived_firings_202510']);
});
