import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { runCli, runScript } from '../support/child';
import { uniqueName, useLedger } from '../support/ledger';

const ROOT = resolve(__dirname, '../..');
const ledger = useLedger();

interface Block {
  language: string;
  text: string;
}

const blocks: Block[] = [
  ...readFileSync(join(ROOT, 'docs/dead-letters.md'), 'utf8').matchAll(/```(\w+)\n([\s\S]*?)```/g),
].map(([, language, text]) => ({ language: language!, text: text! }));

/** The blocks of a language, in the order of the page; each is taken once. */
function take(language: string): string {
  const index = blocks.findIndex((block) => block.language === language);
  const [block] = blocks.splice(index, 1);
  return block!.text;
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g;

/** What every run of the walk-through has in common. */
function plain(text: string): string {
  return text.replace(UUID, 'ID').replace(TIME, 'TIME').replace(/ +/g, ' ').trim();
}

it('the walk-through does what it says, from its own text', { timeout: 120_000 }, async () => {
  // The Temporal server is shared: the schedule and the task queue get a name that no other test uses.
  const name = uniqueName('orders');
  const named = (text: string) => text.replace(/\borders\b/g, name);
  const unnamed = (text: string) => text.replaceAll(name, 'orders');
  const folder = join(ROOT, '.cache', name);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const command = `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(ROOT, 'dist/cli/main.js')}' "$@"\n`;
  writeFileSync(join(folder, 'bin/npx'), command, { mode: 0o755 });
  const env = {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    ESCAPEMENT_LOG_LEVEL: 'warn',
  };
  const shell = async (text: string) => {
    const PATH = `${join(folder, 'bin')}:${process.env.PATH}`;
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', text], { env: { ...process.env, ...env, PATH } });
    return stdout;
  };
  /** The values of a query, against those of the table that the page shows. */
  const answers = async (query: string, table: string) => {
    const rows = await ledger().query(query);
    const [, , ...shown] = table.trimEnd().split('\n');
    expect(rows.map((row) => Object.values(row).map((value) => unnamed(String(value))))).toEqual(
      shown.map((line) => line.split('|').map((cell) => cell.trim())),
    );
  };
  const write = (text: string) => {
    const [, file] = /^\/\/ (\S+)\n/.exec(text)!;
    writeFileSync(join(folder, file!), named(text));
  };
  for (let file = 0; file < 3; file++) write(take('ts'));

  runCli(['run'], env);
  const broken = runScript(join(folder, 'worker.ts'), [], env);
  await shell(named(take('sh')));

  // Look at it.
  const list = named(take('sh'));
  const listed = await vi.waitFor(
    async () => {
      const output = await shell(list);
      expect(output.split('\n').length).toBeGreaterThan(2);
      return output;
    },
    { timeout: 60_000, interval: 500 },
  );
  expect(plain(unnamed(listed))).toBe(plain(take('text')));
  const [letterId] = listed.match(UUID)!;
  await answers(take('sql'), take('text'));

  const [letter] = await ledger().query<{ workflow_id: string }>('select workflow_id from escapement.dead_letters');
  expect(readFileSync(join(ROOT, 'docs/dead-letters.md'), 'utf8')).toMatch(
    new RegExp(`\`orders-workflow-${TIME.source}-manual-\\d{3}\``),
  );
  expect(plain(unnamed(letter!.workflow_id))).toMatch(/^orders-workflow-TIME-manual-\d{3}$/);
  expect(await lastEvents(letter!.workflow_id)).toEqual(['ActivityTaskFailed', 'WorkflowExecutionFailed']);

  // Deploy a fix.
  broken.kill('SIGTERM');
  await broken.ended();
  write(take('ts'));
  const fixed = runScript(join(folder, 'worker.ts'), [], env);

  // Redrive.
  for (let step = 0; step < 2; step++) {
    const output = await shell(take('sh').replace(UUID, letterId!));
    expect(plain(unnamed(output))).toBe(plain(take('text')));
  }
  await fixed.line(/^charged for parcel of .* at the new address$/);
  await vi.waitFor(
    async () =>
      expect(await ledger().query(`select from escapement.dead_letters where state = 'resolved'`)).toHaveLength(1),
    { timeout: 30_000, interval: 200 },
  );
  await answers(take('sql'), take('text'));

  // In bulk, and from code.
  expect(await shell(named(take('sh')))).toBe(take('text'));
  write(take('ts'));
  await compiles(folder);
  const discard = take('sh').replace(UUID, letterId!);
  await expect(shell(discard)).rejects.toThrow(/which is resolved/);
  expect(blocks).toEqual([]);
});

/** The events that the Temporal UI shows last, but for workflow tasks. */
async function lastEvents(workflowId: string): Promise<string[]> {
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  try {
    const { events } = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
    const names = ['activityTaskFailed', 'workflowExecutionFailed'] as const;
    return events!
      .map((event) => names.find((name) => event[`${name}EventAttributes`]))
      .filter((name) => name !== undefined)
      .map((name) => name[0]!.toUpperCase() + name.slice(1));
  } finally {
    await connection.close();
  }
}

/** Compile what the page shows against the package as it is built. */
async function compiles(folder: string): Promise<void> {
  const compilerOptions = { paths: {}, exactOptionalPropertyTypes: true };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  );
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error) => expect.fail(error.stdout));
}
