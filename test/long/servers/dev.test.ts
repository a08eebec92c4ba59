import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { providePostgres } from '../../../provision';
import { runCli } from '../../support/processes/child';

/** The processes that one has started, and those that these have, the last of a line last. */
function descendants(processId: number): number[] {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number));
  const below = (parent: number): number[] =>
    rows.flatMap(([pid, of]) => (of === parent ? [pid!, ...below(pid!)] : []));
  return below(processId);
}

it('escapement dev says that its Temporal has died, and exits', async () => {
  const postgres = await providePostgres({});
  onTestFinished(() => postgres.stop());
  const dev = runCli(['dev', '--json'], { DATABASE_URL: postgres.databaseUrl });
  await dev.line(/^\{/);
  process.kill(descendants(dev.child.pid!).at(-1)!, 'SIGKILL');
  expect(await dev.ended()).toEqual({ code: 1, signal: null });
  expect(dev.errors.at(-1)).toBe("escapement: Temporal has ended by itself; start 'escapement dev' again");
});
