import { dirname } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { newManifest } from '../../owner/archive/manifest';
import { temporaryFile } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const isTTY = process.stdout.isTTY;
const escapement = (args: string, env: Record<string, string> = {}) =>
  runCommand(args.split(' '), { DATABASE_URL: ledger().databaseUrl, NO_COLOR: '', ...env });
const COLOR = '\u001b[';

afterEach(() => {
  process.stdout.isTTY = isTTY;
});

it('colours tables on a terminal alone, and never under NO_COLOR', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'live' }));
  await ledger().client.create(someSchedule({ scheduleId: 'paused', state: { paused: true } }));
  expect((await escapement('schedule list')).stdout).not.toContain(COLOR);
  process.stdout.isTTY = true;
  const { stdout } = await escapement('schedule list');
  expect(stdout).toContain('\u001b[1mSCHEDULE\u001b[22m');
  expect(stdout).toContain('\u001b[33mpaused\u001b[39m');
  // Names are not coloured, even if they look like words for a state.
  expect(stdout).toMatch(/\npaused /);
  expect((await escapement('schedule list', { NO_COLOR: '1' })).stdout).not.toContain(COLOR);
  expect((await escapement('schedule list --json')).stdout).not.toContain(COLOR);
});

it('colours the findings of doctor on a terminal', async () => {
  await ledger().client.create(someSchedule());
  process.stdout.isTTY = true;
  const { stdout } = await escapement('doctor', { TEMPORAL_ADDRESS: inject('temporalAddress') });
  expect(stdout).toContain('\u001b[31mCRITICAL\u001b[39m  no_trigger');
  expect(stdout).not.toContain('\\u001b');
});

it('shows times in UTC on a pipe, in the own zone with their distance on a terminal, and as --times asks', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'paused', state: { paused: true } }));
  const since = async (args = '') => (await escapement(`schedule list${args}`)).stdout.split('\n')[1]!;
  expect(await since()).toMatch(/ 2026-03-01T00:30:00Z /);
  expect(await since(' --times Asia/Kolkata')).toMatch(/ 2026-03-01T06:00:00\+05:30 /);
  expect(await since(' --times relative')).toMatch(/paused +(\d+\w+ ago|in \d+\w+) +test/);
  expect(await escapement('schedule list --times Mars/Base')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('use utc, local, relative, or a time zone such as Europe/Berlin'),
  });
  process.stdout.isTTY = true;
  expect(await since()).toMatch(/ 2026-0\d-\d\dT\d\d:\d\d:00(Z|[+-]\d\d:\d\d) \((\d+\w+ ago|in \d+\w+)\) /);
  expect(await since(' --times utc')).toMatch(/ 2026-03-01T00:30:00Z /);
});

it('archive list shows its times as other tables do', async () => {
  const file = { file: 'none', rows: 0, bytes: 0, sha256: '0'.repeat(64) };
  const month = { name: '2026-01', month: '2026-01', installation: 'none', schemaVersion: 1, tableOid: 1 };
  const files = { firings: file, gaps: file, letters: file };
  const manifest = newManifest({ ...month, archivedAt: '2026-03-01T00:30:00.000Z', files });
  const folder = dirname(await temporaryFile('2026-01.json', JSON.stringify(manifest)));
  const archived = async () => (await escapement(`archive list ${folder}`)).stdout.split('\n')[1]!;
  expect(await archived()).toMatch(/ 2026-03-01T00:30:00Z$/);
  process.stdout.isTTY = true;
  expect(await archived()).toMatch(/ 2026-0\d-\d\dT\d\d:\d\d:00(Z|[+-]\d\d:\d\d) \(\d+\w+ ago\)$/);
});

it('--output yaml says what --json says, and hostile text moves no cursor', async () => {
  const note = 'fine\u001b[2K\u009b1A\u202e: - #\nlast';
  await ledger().client.create(someSchedule({ scheduleId: 'one', state: { note }, memo: { key: [1, null, true] } }));
  await ledger().client.create(someSchedule({ scheduleId: 'two' }));
  const json = await escapement('schedule list --json');
  const yaml = await escapement('schedule list --output yaml');
  const documents = parseAllDocuments(yaml.stdout) as { toJS(): unknown }[];
  expect(documents.map((one) => one.toJS())).toEqual(json.stdout.split('\n').map((line) => JSON.parse(line)));
  for (const character of ['\u001b', '\u009b', '\u202e']) expect(yaml.stdout).not.toContain(character);
  expect((await escapement('schedule list -o json')).stdout).toBe(json.stdout);
  expect((await escapement('schedule list --output table')).stdout).toMatch(/^SCHEDULE /);
  expect(await escapement('schedule list --json --output yaml')).toMatchObject({ code: 2 });
});
