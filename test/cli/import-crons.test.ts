import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, '.cache', 'import-crons');
const ledger = useLedger();

/** Names and words that could break out of a module. */
const CRONTAB = `MAILTO=ops@example.com
0 2 * * 1-5 /usr/local/bin/backup.sh --full '/data' "with \\"quotes\\"" \`id\` \${HOME}
0 3 * * * /opt/default
0 4 * * * /opt/2nd*/ report
30 4 */2 * 7 /opt/odd-days
@reboot /opt/start
`;
const MANIFEST = `apiVersion: batch/v1
kind: CronJob
metadata: { name: new }
spec:
  schedule: "0 0 13 * FRI"
  timeZone: America/New_York
  concurrencyPolicy: Replace
  jobTemplate: { spec: { template: { spec: { containers: [{ image: "a'b", command: ["\\u2028", "x"] }] } } } }
---
kind: CronJob
metadata: { name: broken }
spec: { schedule: "0 0 13 * XYZ" }
`;
const crontab = join(FOLDER, 'crontab');
const manifest = join(FOLDER, 'jobs.yaml');
const modules = { crontab: join(FOLDER, 'crons.ts'), k8s: join(FOLDER, 'jobs.ts') };

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(crontab, CRONTAB);
  writeFileSync(manifest, MANIFEST);
});

describe('schedules of other crons', () => {
  it('become modules, what cannot be read is listed by its place, and the exit code says so', async () => {
    const read = await runCommand(['import', 'crontab', crontab, '--out', modules.crontab]);
    expect(read.code).toBe(1);
    expect(read.stdout).toBe('');
    expect(read.stderr).toMatch(/^left out: line 6: @reboot: is no time/);
    expect(read.stderr).toMatch(/4 schedules, \d+ decisions to take, 1 left out; written to/);

    const missing = join(FOLDER, 'none.yaml');
    const jobs = await runCommand(['import', 'k8s', missing, manifest, '--out', modules.k8s]);
    expect(jobs.code).toBe(1);
    expect(jobs.stderr).toMatch(/none.yaml' cannot be read/);
    expect(jobs.stderr).toMatch(/jobs.yaml, document 2: CronJob 'broken'|document 2: .*XYZ/);
    expect(jobs.stderr).toMatch(/1 schedule, /);
  });

  it('write over no file that is there', async () => {
    const before = await readFile(modules.crontab, 'utf8');
    const again = await runCommand(['import', 'crontab', crontab, '--out', modules.crontab, '--task-queue', 'other']);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists; give --force') });
    expect(await readFile(modules.crontab, 'utf8')).toBe(before);
    await runCommand(['import', 'crontab', crontab, '--out', modules.crontab, '--force', '--task-queue', 'other']);
    expect(await readFile(modules.crontab, 'utf8')).toContain("taskQueue: 'other'");
  });

  it('compile as they stand', async () => {
    writeFileSync(
      join(FOLDER, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { paths: {}, exactOptionalPropertyTypes: true },
        include: ['*.ts'],
      }),
    );
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', FOLDER]).catch((error) => expect.fail(error.stdout));
  });

  it('are read by schedule apply, which registers all of them', async () => {
    const apply = (file: string) =>
      runCommand(['schedule', 'apply', file, '--source', 'crons', '--revision', '1', '--dry-run', '--json'], {
        DATABASE_URL: ledger().databaseUrl,
      });
    const crons = await apply(modules.crontab);
    expect(crons.stderr).toBe('');
    expect(JSON.parse(crons.stdout).created).toEqual(['backup', 'default', '2nd', 'odd-days']);
    const jobs = await apply(modules.k8s);
    expect(JSON.parse(jobs.stdout).created).toEqual(['new']);
  });

  it('are printed where no file is named, or as JSON', async () => {
    const { stdout } = await runCommand(['import', 'k8s', manifest]);
    expect(stdout).toMatch(
      /^\/\/ Made of .*\n[\s\S]*export const new2 = defineSchedule\([\s\S]*\/\/ LEFT OUT: .*document 2/,
    );
    const json = await runCommand(['import', 'k8s', manifest, '--json']);
    const [one, problem] = json.stdout.split('\n').map((line) => JSON.parse(line));
    expect(one.schedule).toMatchObject({ scheduleId: 'new', policies: { overlap: 'TERMINATE_OTHER' } });
    expect(problem).toMatchObject({ where: expect.stringContaining('document 2'), problem: expect.any(String) });
  });

  it('move no cursor by what they contain, and keep it in the strings of the module', async () => {
    const hostile = join(FOLDER, 'hostile');
    writeFileSync(hostile, '0 2 * * * /opt/report \u001b[2K\u202e\n');
    const { stdout } = await runCommand(['import', 'crontab', hostile]);
    for (const character of ['\u001b', '\u202e']) expect(stdout).not.toContain(character);
    expect(stdout).toContain("args: ['/opt/report \\u001b[2K\\u202e']");
  });
});
