import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { activityInfo, heartbeat } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { withLease } from '../../activities';
import { EscapementPlugin } from '../../plugin';
import { urlFor } from '../support/least-privilege';
import { uniqueName, useLedger } from '../support/ledger';
import { bundleOf } from '../support/packages/bundles';
import { quietSdk } from '../support/quiet-sdk';

const ledger = useLedger();

/** Run one step on a real worker that has the plugin. */
async function runStep(step: () => Promise<unknown>, attempts: number): Promise<unknown> {
  quietSdk();
  const address = inject('temporalAddress');
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection: await Connection.connect({ address }) });
  onTestFinished(() => client.connection.close());
  const taskQueue = uniqueName('queue');
  const plugin = new EscapementPlugin({ connectionString: urlFor(ledger().databaseUrl, 'worker') });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await bundleOf(require.resolve('../support/leases/lease-workflows.ts')),
    activities: { step },
    plugins: [plugin, plugin],
  });
  return worker
    .runUntil(client.workflow.execute('runStep', { taskQueue, workflowId: taskQueue, args: ['step', attempts] }))
    .finally(() => connection.close());
}

it('what a step saved by heartbeats survives attempts that only held a lease', async () => {
  const found: unknown[] = [];
  const result = await runStep(async () => {
    found.push(activityInfo().heartbeatDetails);
    if (activityInfo().attempt === 1) heartbeat({ page: 7 });
    await withLease(
      'report',
      async () => {
        const expiry = async () => (await ledger().query('select expires_at from escapement.leases'))[0]!.expires_at;
        const before = await expiry();
        await vi.waitFor(async () => expect((await expiry()).getTime()).toBeGreaterThan(before.getTime()), 60_000);
      },
      { ttl: '4 seconds' },
    );
    if (activityInfo().attempt < 3) throw new Error('not yet');
    return activityInfo().heartbeatDetails;
  }, 3);
  expect(found).toEqual([undefined, { page: 7 }, { page: 7 }]);
  expect(result).toEqual({ page: 7 });
});

it('a step whose lease another holds fails its workflow with who holds it, once its retries are used up', async () => {
  await ledger().query(
    `insert into escapement.leases values ('report', 7, 'billing chargeCard#1 on host', now(), '2100-01-01Z')`,
  );
  let attempts = 0;
  const running = runStep(() => {
    attempts += 1;
    return withLease('report', async () => {}, { waitAtMost: 0 });
  }, 3);
  await expect(running).rejects.toMatchObject({
    cause: {
      cause: {
        type: 'LeaseHeldError',
        message: expect.stringMatching(/held by billing chargeCard#1 on host until 2100-01-01T00:00:00.000Z/),
        details: [{ holder: 'billing chargeCard#1 on host', until: '2100-01-01T00:00:00.000Z' }],
      },
    },
  });
  expect(attempts).toBe(3);
});

it('a worker’s connections for leases end with the worker', async () => {
  await runStep(() => withLease('report', async () => {}), 1);
  const connections = () =>
    ledger().query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'escapement'`,
    );
  await expect.poll(connections).toEqual([]);
});

it('a program without activities does not load their part of the SDK', async () => {
  const print = `require('./dist/index.js'); require('./dist/trigger/index.js');
    console.log(Object.keys(require.cache).filter((file) => /@temporalio.activity/.test(file)).length)`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', print], {
    cwd: resolve(__dirname, '../..'),
  });
  expect(stdout.trim()).toBe('0');
});
