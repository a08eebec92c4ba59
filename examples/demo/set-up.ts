import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { EscapementClient } from 'escapement';
import { migrate } from 'escapement/migrations';
import { serve } from 'escapement/server';
import { Pool } from 'pg';
import { createActivities } from './activities';
import type { Cleanup } from './cleanup';
import { newNames } from './names';
import { startRatesProvider } from './rates-provider';
import { provideServers } from './servers';
import { createShop, dropSchemas } from './shop';
import { startWorker } from './worker';

/** Everything but schedules and triggers: servers, tables, a worker, clients and folders. */
export async function setUp(
  given: {
    databaseUrl?: string;
    temporalAddress?: string;
    stop: AbortSignal;
    onFailed: (error: Error) => void;
  },
  cleanup: Cleanup,
) {
  const names = newNames();
  const { stop, onFailed } = given;
  const servers = await provideServers(given, cleanup);
  const { databaseUrl, temporalAddress, namespace } = servers;
  const folder = await mkdtemp(join(tmpdir(), 'escapement-demo-'));
  const mailFolder = join(folder, 'emails');
  await mkdir(mailFolder);

  const pool = new Pool({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, query_timeout: 15_000 });
  pool.on('error', () => {});
  cleanup.add('closing the connections to Postgres', () => pool.end());
  await pool.query('select 1').catch((error: Error) => {
    throw new Error(
      `Postgres cannot be used (${error.message}): check DATABASE_URL, or unset it to get one of the demo's own`,
    );
  });
  if (given.databaseUrl) cleanup.add('dropping the schemas', () => dropSchemas(pool, [names.ledger, names.shop]));
  console.log('Demo: making the tables');
  await migrate({ pool, schema: names.ledger });
  await createShop(pool, names.shop);

  console.log('Demo: starting the worker');
  const rates = await startRatesProvider();
  cleanup.add('closing the rates provider', () => rates.close());
  const activities = createActivities({ pool, schema: names.shop, mailFolder, ratesUrl: rates.url });
  const logFile = join(folder, 'worker.log');
  const { taskQueue } = names;
  await startWorker({ temporalAddress, namespace, taskQueue, activities, logFile, onFailed }, cleanup);

  const connection = await Connection.connect({ address: temporalAddress });
  cleanup.add('closing the connection to Temporal', () => connection.close());
  const temporal = new Client({ connection, namespace });
  const client = new EscapementClient({ pool, schema: names.ledger, namespace, identity: 'demo' });
  const dashboard = await serve({
    ...{ pool, schema: names.ledger, port: 0, namespace, temporal, identity: 'dashboard' },
    temporalUi: servers.uiUrl,
  });
  cleanup.add('closing the dashboard', () => dashboard.close());
  stop.throwIfAborted();
  return { names, servers, folder, mailFolder, pool, temporal, client, dashboardUrl: dashboard.url };
}

export type Scene = Awaited<ReturnType<typeof setUp>>;

/** An empty Temporal configuration, so that the trigger does not read the user's own. */
export async function emptyTemporalConfiguration(folder: string): Promise<string> {
  const file = join(folder, 'temporal.toml');
  await writeFile(file, '[profile.default]\n');
  return file;
}
