import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
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

// Only Linux weighs sessions, and not every kernel.
it.each([
  ['its session goes last if it leads one, as a service does', true, constants.priority.PRIORITY_BELOW_NORMAL],
  ['other processes of its session keep their weight', false, undefined],
])('lets firings of the same machine go first: %s', async (_, detached, weight) => {
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--json'], {
    env: { ...withoutServers(), DATABASE_URL: ledger().databaseUrl },
    stdio: 'pipe',
    detached,
  });
  const serve = new TestProcess(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await serve.ended();
  });
  await serve.line(/"url"/);
  const own = sessionWeight('self');
  expect(sessionWeight(child.pid!)).toBe(own === undefined ? undefined : (weight ?? own));
  serve.kill('SIGTERM');
  expect((await serve.ended()).code).toBe(0);
});

/** The weight of a process's session, as a nice value. */
function sessionWeight(pid: number | 'self'): number | undefined {
  const file = `/proc/${pid}/autogroup`;
  if (!existsSync(file)) return undefined;
  const nice = /nice (-?\d+)/.exec(readFileSync(file, 'utf8'))?.[1];
  return nice === undefined ? undefined : Number(nice);
}
