import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { dev } from '../../cli/dev';
import { statusUnder } from '../support/named-host';
import { runCli } from '../support/processes/child';

it('escapement dev prints one line of JSON once Postgres is migrated and Temporal answers, and ends on Ctrl-C', async () => {
  // An empty Postgres of its own; Temporal is the one that the tests have, to save its start.
  const flags = ['--json', '--allow-host', 'cron.test'];
  const variables = { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'billing' };
  const dev = runCli(['dev', ...flags], variables);
  const ready = JSON.parse(await dev.line(/^\{/));
  expect(ready).toEqual({
    databaseUrl: expect.stringMatching(/^postgres:/),
    temporalAddress: inject('temporalAddress'),
    temporalUiUrl: null,
    namespace: 'billing',
    apiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  });
  expect(await (await fetch(`${ready.apiUrl}/v1/schedules`)).json()).toEqual({ schedules: [] });
  expect(await statusUnder('cron.test', `${ready.apiUrl}/v1/schedules`)).toBe(200);
  const client = new Client({ connectionString: ready.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  expect((await client.query('select * from escapement.schedules')).rows).toEqual([]);
  await client.end();

  dev.kill('SIGINT');
  expect(await dev.ended()).toEqual({ code: 0, signal: null });
  expect(dev.output).toHaveLength(1);
});

it('escapement dev says which of its servers has died, and exits', async () => {
  const dev = runCli(['dev', '--json'], { TEMPORAL_ADDRESS: inject('temporalAddress') });
  const { databaseUrl } = JSON.parse(await dev.line(/^\{/));
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  const [postmaster] = readFileSync(join(rows[0]!.data_directory, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(postmaster), 'SIGQUIT');
  expect(await dev.ended()).toEqual({ code: 1, signal: null });
  expect(dev.errors.at(-1)).toBe("escapement: Postgres has ended by itself; start 'escapement dev' again");
});

it('escapement dev stops its other servers if the API does not stop, and says so', async () => {
  const stop = new AbortController();
  let databaseUrl = '';
  const api = { url: 'http://127.0.0.1:1', close: () => Promise.reject(new Error('the socket is busy')) };
  const running = dev({
    json: true,
    temporalAddress: inject('temporalAddress'),
    migrate: async (url) => {
      databaseUrl = url;
    },
    serve: async () => api,
    stop: stop.signal,
    write: () => stop.abort(),
    progress: () => undefined,
  });
  await expect(running).rejects.toThrow('the HTTP API did not stop: the socket is busy');
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await expect(client.connect()).rejects.toThrow(/ECONNREFUSED|ENOENT/);
});
