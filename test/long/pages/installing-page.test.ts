import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { packedProject } from '../../support/packages/packed-project';
import { runNode } from '../../support/processes/child';

const ROOT = resolve(__dirname, '../../..');
const PAGES = ['README.md', 'docs/installing.md'].map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');

/** What the reader is to write; the rest stands in the pages. */
const ACTIVITIES = `
export async function collect(region: string, day: string): Promise<string> { return region + ' ' + day; }
export async function send(report: string): Promise<void> { console.log('sent ' + report); }
`;

const ledger = useLedger();

it('the files of the README and of docs/installing.md register the schedule, run its trigger, and complete its job', {
  timeout: 600_000,
}, async () => {
  const files = Object.fromEntries(
    [...PAGES.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, name, code]) => [name!, code!]),
  );
  expect(Object.keys(files)).toEqual(['deploy.ts', 'workflows.ts', 'worker.ts']);
  const { directory } = await packedProject({
    files: { ...files, 'activities.ts': ACTIVITIES },
    tools: ['tsx', 'typescript'],
  });
  const env = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress'), BUILD_NUMBER: '1' };
  const start = (args: string[]) => runNode(args, env, directory);
  const escapement = async (...args: string[]) => {
    const command = start(['node_modules/escapement/dist/cli/main.js', ...args]);
    const { code } = await command.ended();
    expect(code, command.errors.join('\n')).toBe(0);
    return command.output;
  };

  const deploy = start(['--import', 'tsx', 'deploy.ts']);
  expect((await deploy.ended()).code, deploy.errors.join('\n')).toBe(0);
  const worker = start(['--import', 'tsx', 'worker.ts']);
  await escapement('schedule', 'trigger', 'nightly-report');
  const outcomes = async () => {
    const rows = await escapement('firing', 'list', 'nightly-report', '--json');
    return rows.map((row) => JSON.parse(row).outcome);
  };
  await expect.poll(outcomes, { timeout: 240_000 }).toEqual(['completed']);
  expect(worker.output.find((line) => line.startsWith('sent'))).toMatch(/^sent emea \d{4}-\d\d-\d\d$/);
  worker.kill('SIGINT');
  expect((await worker.ended()).code).toBe(0);
});
