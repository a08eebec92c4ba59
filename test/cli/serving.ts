import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { TestLedger } from '../support/ledger';
import { TestProcess, withoutServers } from '../support/processes/child';

const MAIN = resolve(__dirname, '../../dist/cli/main.js');

/** `escapement serve`, at a nice value and perhaps in a session of its own, while `look` looks at its process. */
export async function whileServing(
  ledger: TestLedger,
  { nice = 0, detached = false },
  look: (child: ChildProcess) => Promise<void>,
): Promise<void> {
  const child = spawn('nice', ['-n', String(nice), process.execPath, MAIN, 'serve', '--port', '0', '--json'], {
    env: { ...withoutServers(), DATABASE_URL: ledger.databaseUrl },
    stdio: 'pipe',
    detached,
  });
  const serve = new TestProcess(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await serve.ended();
  });
  await serve.line(/"url"/);
  await look(child);
  serve.kill('SIGTERM');
  expect((await serve.ended()).code).toBe(0);
}
