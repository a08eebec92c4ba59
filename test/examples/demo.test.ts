import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createActivities } from '../../examples/demo/activities';
import { startRatesProvider } from '../../examples/demo/rates-provider';
import { createShop } from '../../examples/demo/shop';
import type { exchangeRates, invoiceRun } from '../../examples/demo/workflows';
import { createTestDatabase, type TestDatabase } from '../../testing';
import { startSkippingServer } from '../../testing/start-server';
import { poolOf } from '../support/connections/pool';
import { bundleOf } from '../support/packages/bundles';
import { quietSdk } from '../support/quiet-sdk';

const SHOP = 'shop';
const TASK_QUEUE = 'demo-example-test';
const RUN = '2026-03-01T02:00:00.000Z';
/** What a trigger puts into the memo of a workflow that it starts. */
const FIRING = { scheduleId: 'invoice-run', scheduledTime: RUN, kind: 'schedule', startAttempt: 1, epoch: 0 };

let database: TestDatabase;
let pool: Pool;
let environment: TestWorkflowEnvironment;
let provider: Awaited<ReturnType<typeof startRatesProvider>>;
let mailFolder: string;

beforeAll(async () => {
  // The steps that fail here are meant to.
  quietSdk();
  database = await createTestDatabase({ databaseUrl: inject('databaseUrl') });
  pool = poolOf({ connectionString: database.databaseUrl });
  await createShop(pool, SHOP);
  provider = await startRatesProvider();
  mailFolder = await mkdtemp(join(tmpdir(), 'escapement-demo-test-'));
  environment = await startSkippingServer(inject('testServerPath'));
});

afterAll(async () => {
  await environment?.teardown();
  await provider?.close();
  if (mailFolder) await rm(mailFolder, { recursive: true });
  await pool.end();
  await database.drop();
});

it('charges, mails and reports what is unpaid, once, however often the run is repeated', async () => {
  const run = () =>
    environment.client.workflow.execute<typeof invoiceRun>('invoiceRun', {
      workflowId: 'invoice-run',
      taskQueue: TASK_QUEUE,
      args: [3],
      memo: { escapement: FIRING },
    });
  const worker = await createWorker();
  const [first, second] = await worker.runUntil(async () => [await run(), await run()]);

  expect(first).toEqual({ invoices: 3, totalCents: 4_900 + 12_900 + 2_900 });
  expect(second).toEqual(first);
  const { rows } = await pool.query(
    `select count(*)::int as payments, sum(amount_cents)::int as cents from ${SHOP}.payments`,
  );
  expect(rows).toEqual([{ payments: 3, cents: first?.totalCents }]);
  const mails = await readdir(mailFolder);
  expect(mails).toHaveLength(3);
  const mail = await readFile(join(mailFolder, mails[0]!), 'utf8');
  expect(mail).toContain('To: Aurora Analytics GmbH <accounts@aurora-analytics.example>');
  expect(mail).toContain('49.00 EUR');
});

it('stores the rates of a provider that fails at first, under the time of the firing', async () => {
  const worker = await createWorker();
  const rates = await worker.runUntil(
    environment.client.workflow.execute<typeof exchangeRates>('exchangeRates', {
      workflowId: 'exchange-rates',
      taskQueue: TASK_QUEUE,
      args: [['USD', 'CHF']],
      memo: { escapement: { ...FIRING, scheduleId: 'exchange-rates' } },
    }),
  );

  expect(Object.keys(rates).sort()).toEqual(['CHF', 'USD']);
  const { rows } = await pool.query(`select at, currency from ${SHOP}.rates order by currency`);
  expect(rows).toEqual(['CHF', 'USD'].map((currency) => ({ at: new Date(RUN), currency })));
});

async function createWorker(): Promise<Worker> {
  return Worker.create({
    connection: environment.nativeConnection,
    taskQueue: TASK_QUEUE,
    workflowBundle: await bundleOf(join(__dirname, '../../examples/demo/workflows.ts')),
    activities: createActivities({ pool, schema: SHOP, mailFolder, ratesUrl: provider.url }),
  });
}
