import { spawnSync } from 'node:child_process';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { dev } from '../../cli/dev';
import { providePostgres, temporalAnswers } from '../../provision';
import { runCli } from '../support/processes/child';

test('dev prints one line of JSON when both servers are up and migrated, and stops both', async () => {
  const stop = new AbortController();
  const migrated: string[] = [];
  const lines: string[] = [];
  let running = Promise.resolve();
  await new Promise<void>((printed, failed) => {
    running = dev({
      json: true,
      migrate: async (databaseUrl) => void migrated.push(databaseUrl),
      stop: stop.signal,
      write: (line) => {
        lines.push(line);
        printed();
      },
      progress: () => {},
    });
    running.catch(failed);
  });
  expect(lines).toHaveLength(1);
  const ready = JSON.parse(lines[0]!);
  expect(Object.keys(ready)).toEqual(['databaseUrl', 'temporalAddress', 'temporalUiUrl', 'namespace', 'apiUrl']);
  expect(migrated).toEqual([ready.databaseUrl]);
  expect(await temporalAnswers(ready.temporalAddress, 60_000)).toBe(true);
  expect((await fetch(ready.temporalUiUrl)).status).toBe(200);
  const client = new Client({ connectionString: ready.databaseUrl });
  await client.connect();
  await client.end();

  stop.abort();
  await running;
  expect(await temporalAnswers(ready.temporalAddress, 500)).toBe(false);
  await expect(new Client({ connectionString: ready.databaseUrl }).connect()).rejects.toThrow('ECONNREFUSED');
});

test('dev leaves nothing running when migrating fails', async () => {
  let databaseUrl = '';
  const running = dev({
    json: true,
    migrate: async (url) => {
      databaseUrl = url;
      throw new Error('no such table');
    },
    stop: new AbortController().signal,
    write: () => {},
    progress: () => {},
  });
  await expect(running).rejects.toThrow('no such table');
  await expect(new Client({ connectionString: databaseUrl }).connect()).rejects.toThrow('ECONNREFUSED');
});

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

// Here, since the server may have to be built first.
test('escapement dev says that its Temporal has died, and exits', async () => {
  const postgres = await providePostgres({});
  onTestFinished(() => postgres.stop());
  const dev = runCli(['dev', '--json'], { DATABASE_URL: postgres.databaseUrl });
  await dev.line(/^\{/);
  process.kill(descendants(dev.child.pid!).at(-1)!, 'SIGKILL');
  expect(await dev.ended()).toEqual({ code: 1, signal: null });
  expect(dev.errors.at(-1)).toBe("escapement: Temporal has ended by itself; start 'escapement dev' again");
});
