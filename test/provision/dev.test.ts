import { Client } from 'pg';
import { expect, test } from 'vitest';
import { dev } from '../../cli/dev';
import { temporalAnswers } from '../../provision';

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
