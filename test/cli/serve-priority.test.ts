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

// Only Linux weighs sessions, not every kernel, and never the session of its first process.
it.each([
  ['its session goes last if it leads one, as a service does', true, constants.priority.PRIORITY_BELOW_NORMAL],
  ['other processes of its session keep their weight', false, undefined],
])('lets firings of the same machine go first: %s', async (_, detached, lowered) => {
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
  const unchanged = await sessionWeight('self', detached);
  expect(await sessionWeight(child.pid!, false)).toBe(unchanged === undefined ? undefined : (lowered ?? unchanged));
  serve.kill('SIGTERM');
  expect((await serve.ended()).code).toBe(0);
});

/** The weight of a process's session, as a nice value. `self` is who reads it, in a session of its own if detached. */
async function sessionWeight(pid: number | 'self', detached: boolean): Promise<number | undefined> {
  const reader = new TestProcess(spawn('cat', [`/proc/${pid}/autogroup`], { stdio: 'pipe', detached }));
  await reader.ended();
  const nice = /nice (-?\d+)/.exec(reader.output.join())?.[1];
  return nice === undefined ? undefined : Number(nice);
}
