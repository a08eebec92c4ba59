import { spawn } from 'node:child_process';
import { constants, getPriority } from 'node:os';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { useLedger } from '../support/ledger';
import { TestProcess, withoutServers } from '../support/processes/child';

const ledger = useLedger();
const MAIN = resolve(__dirname, '../../dist/cli/main.js');

it.each([
  ['is below normal', 0, constants.priority.PRIORITY_BELOW_NORMAL],
  ['stays where it is lower already, since to raise it needs a right', 19, 19],
])('lets firings of the same machine go first: its own priority %s', async (_, given, own) => {
  const child = spawn('nice', ['-n', String(given), process.execPath, MAIN, 'serve', '--port', '0', '--json'], {
    env: { ...withoutServers(), DATABASE_URL: ledger().databaseUrl },
    stdio: 'pipe',
  });
  const serve = new TestProcess(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await serve.ended();
  });
  await serve.line(/"url"/);
  // The tests themselves may run at a lower priority.
  expect(getPriority(child.pid)).toBe(Math.max(own, getPriority()));
  serve.kill('SIGTERM');
  expect((await serve.ended()).code).toBe(0);
});
