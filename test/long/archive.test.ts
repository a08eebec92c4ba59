import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, inject, it, vi } from 'vitest';
import { run as runProgram } from '../../provision/run';
import { temporaryFile, temporaryFolder } from '../support/folder';
import { everySecond, useLedger } from '../support/ledger';
import { runCli } from '../support/processes/child';

const ledger = useLedger('2026-06-15T00:30:00Z');
const FIRINGS = Number(process.env.ESCAPEMENT_ARCHIVE_FIRINGS ?? 200_000);

/** Prints the peak memory of a process, in kilobytes, on descriptor 3. */
const PEAK = `process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)));`;

/** Run the built command, and kill it as soon as a file in the folder has this many bytes. */
async function run(args: string[], killAt?: { folder: string; file: string; bytes: number }) {
  const peak = await temporaryFile('peak.js', PEAK);
  const child = spawn(process.execPath, ['--require', peak, 'dist/cli/main.js', ...args], {
    env: { ...process.env, DATABASE_URL: ledger().databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const watcher =
    killAt &&
    watch(killAt.folder, async () => {
      const { size } = await stat(join(killAt.folder, killAt.file)).catch(() => ({ size: 0 }));
      if (size > killAt.bytes) child.kill('SIGKILL');
    });
  const [stdout, kilobytes] = await Promise.all([text(child.stdout!), text(child.stdio[3] as Readable)]);
  watcher?.close();
  return { stdout, peakMegabytes: Number(kilobytes) / 1024 };
}

/** Make October of 2025 with so many firings, and retire it. */
async function retireMonth(firings: number): Promise<void> {
  await ledger().query(
    `select escapement.ensure_partition('2025-10-01Z'::timestamptz);
     insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, workflow_id, run_id,
         claimed_at, linked_at, closed_at)
       select 'schedule-' || n % 1000, '2025-10-01Z'::timestamptz + n / 1000 * interval '1 minute', 'closed', 'completed', 'schedule',
         'default', 1, 'schedule-' || n % 1000 || '-workflow-' || n, gen_random_uuid(), now(), now(), now()
       from generate_series(0, ${firings - 1}) n;
     select escapement.retire_partition('2025-10-01Z'::timestamptz)`,
  );
}

it('a month of many firings is archived in little memory, killed in the middle and run again, and dropped when all is read back', async () => {
  await retireMonth(FIRINGS);
  const folder = await temporaryFolder();
  const killed = await run(['archive', folder, '--drop'], {
    folder,
    file: '2025-10.firings.ndjson.gz.unfinished',
    bytes: 1_000_000,
  });
  expect(killed).toEqual({ stdout: '', peakMegabytes: 0 });
  expect((await run(['archive', 'list', folder])).stdout).not.toContain('2025-10');
  expect(await ledger().query(`select count(*)::int from escapement.archived_firings_202510`)).toEqual([
    { count: FIRINGS },
  ]);

  const began = Date.now();
  const whole = await run(['archive', folder, '--drop']);
  const seconds = (Date.now() - began) / 1000;
  expect(whole.stdout).toMatch(/written and read back, dropped/);
  expect(whole.peakMegabytes).toBeLessThan(300);
  const restoreBegan = Date.now();
  const restored = await run(['archive', 'restore', folder, '--month', '2025-10']);
  expect(restored.stdout).toContain(`${FIRINGS.toLocaleString('en')} firings`);
  expect(restored.peakMegabytes).toBeLessThan(300);
  process.stderr.write(
    `${FIRINGS} firings: archived in ${seconds.toFixed(1)} s with ${whole.peakMegabytes.toFixed(0)} MB, restored in ${((Date.now() - restoreBegan) / 1000).toFixed(1)} s with ${restored.peakMegabytes.toFixed(0)} MB\n`,
  );
  expect(await ledger().query(`select count(*)::int from escapement.firings`)).toEqual([{ count: FIRINGS }]);
});

it('on a disk that gets full, the archive fails by the name of the file and drops nothing while a trigger fires, and with room it goes whole', async () => {
  await retireMonth(10_000);
  const servers = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') };
  const { scheduleId } = await ledger()
    .newClient({ now: () => new Date() })
    .create(everySecond());
  await runCli(['run'], servers).line(/"msg":"linked"/);
  const folder = await temporaryFolder();
  const archive = (under: string[]) => {
    const [program, ...args] = [...under, process.execPath, 'dist/cli/main.js', 'archive', folder, '--drop'];
    return runProgram(program!, args, { environment: servers });
  };

  // No file may become larger than 32 or 64 KB, as the shell counts.
  const full = await archive(['sh', '-c', 'ulimit -f 64; exec "$0" "$@"']);
  expect(full).toEqual({
    code: 1,
    output: `escapement: ${join(folder, '2025-10.firings.ndjson.gz')} cannot be written: EFBIG: file too large, write`,
  });
  expect(await readdir(folder)).toEqual([]);
  expect(await ledger().query('select count(*)::int from escapement.archived_firings_202510')).toEqual([
    { count: 10_000 },
  ]);
  const whole = await archive([]);
  expect(whole).toMatchObject({ code: 0, output: expect.stringMatching(/10,000 firings, .* read back, dropped\.$/) });

  const archivedAt = new Date();
  const countFired = `select max(scheduled_time) as last, count(*)::int as fired,
    1 + extract(epoch from max(scheduled_time) - min(scheduled_time))::int as due from escapement.firings where schedule_id = $1`;
  await vi.waitFor(async () => {
    const [row] = await ledger().query<{ last: Date; fired: number; due: number }>(countFired, [scheduleId]);
    expect(row!.last > archivedAt).toBe(true);
    expect(row!.fired).toBe(row!.due);
  }, 60_000);
});
