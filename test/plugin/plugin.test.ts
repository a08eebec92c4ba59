import { Client, Connection } from '@temporalio/client';
import { SimplePlugin } from '@temporalio/plugin';
import { NativeConnection, Worker, type WorkerOptions, type WorkerPlugin } from '@temporalio/worker';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { EscapementPlugin } from '../../plugin';
import { proxyOf } from '../support/connections/proxy';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { MemoryLogger } from '../support/logger';
import { bundleOf } from '../support/packages/bundles';
import { quietSdk } from '../support/quiet-sdk';

const ledger = useLedger();

/** Workers of one plugin, with a trigger that reaches Postgres by way of a proxy. */
async function workersWithTrigger() {
  const address = inject('temporalAddress');
  const logger = new MemoryLogger();
  const url = new URL(ledger().databaseUrl);
  const postgres = await proxyOf(url.host);
  url.host = postgres.address;
  const plugin = new EscapementPlugin({ connectionString: url.href, trigger: { connection: { address }, logger } });
  const connection = await NativeConnection.connect({ address });
  onTestFinished(() => connection.close());
  const newWorker = () =>
    Worker.create({
      ...{ connection, taskQueue: uniqueName('queue'), plugins: [plugin] },
      activities: { nothing: async () => {} },
    });
  const said = (message: string) => logger.messages().filter((line) => line === message).length;
  return { postgres, newWorker, said };
}

const RUNNING = 'trigger running';
const STOPPED = 'trigger stopped';
const NOT_RUNNING = 'the trigger beside the worker does not run; trying again';

describe('the trigger of an EscapementPlugin', () => {
  beforeAll(quietSdk);

  it('keeps no worker from its work while Postgres is away, and runs once that is back', async () => {
    const { postgres, newWorker, said } = await workersWithTrigger();
    postgres.cut();
    const worker = await newWorker();
    const running = worker.run();
    expect(worker.getState()).toBe('RUNNING');
    await vi.waitFor(() => expect(said(NOT_RUNNING)).toBeGreaterThan(0), 60_000);
    postgres.restore();
    await vi.waitFor(() => expect(said(RUNNING)).toBe(1), 60_000);
    expect(worker.getState()).toBe('RUNNING');
    worker.shutdown();
    await running;
    expect(said(STOPPED)).toBe(1);
  });

  it('lets `runUntil` of a short function end, with Postgres there and without', async () => {
    const { postgres, newWorker } = await workersWithTrigger();
    expect(await (await newWorker()).runUntil(async () => 'short')).toBe('short');
    postgres.cut();
    expect(await (await newWorker()).runUntil(async () => 'short')).toBe('short');
  });

  it('is one for all workers that share the plugin, from the first to the last, and again later', async () => {
    const { newWorker, said } = await workersWithTrigger();
    const [first, last] = [await newWorker(), await newWorker()];
    const running = [first.run(), last.run()];
    await vi.waitFor(() => expect(said(RUNNING)).toBe(1), 60_000);
    first.shutdown();
    await running[0];
    // It says that it runs before its first heartbeat.
    await expect.poll(() => ledger().query('select * from escapement.triggers')).toHaveLength(1);
    expect(said(STOPPED)).toBe(0);
    last.shutdown();
    await running[1];
    expect([said(RUNNING), said(STOPPED)]).toEqual([1, 1]);
    await (await newWorker()).runUntil(() => vi.waitFor(() => expect(said(RUNNING)).toBe(2), 60_000));
    expect(said(STOPPED)).toBe(2);
  });

  it.each([
    [{ trigger: {} }, /EscapementPlugin\.trigger: give a pool or a connectionString/],
    [
      { connectionString: 'postgres://nobody@127.0.0.1:1/', trigger: { startsInFlight: 0 } },
      /EscapementPlugin\.trigger\.startsInFlight: 0: /,
    ],
  ])('is refused at once where none can be made: %j', (options, message) => {
    expect(() => new EscapementPlugin(options)).toThrow(message);
  });
});

describe('EscapementPlugin', () => {
  it('runs one trigger inside a worker, though it is given twice, and stops it with the worker', async () => {
    quietSdk();
    const address = inject('temporalAddress');
    const taskQueue = uniqueName('queue');
    const logger = new MemoryLogger();
    const plugin = new EscapementPlugin({
      connectionString: ledger().databaseUrl,
      trigger: { connection: { address }, logger },
    });
    const connection = await NativeConnection.connect({ address, plugins: [plugin] });
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowsPath: require.resolve('../support/workers/workflows.ts'),
      plugins: [plugin, plugin],
    });
    const running = worker.run();
    const client = new Client({ connection: await Connection.connect({ address }) });
    try {
      const handle = await ledger()
        .newClient({ now: undefined })
        .create(someSchedule({ action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue } }));
      const { workflowId } = await handle.trigger();
      await vi.waitFor(() => client.workflow.getHandle(workflowId!).describe(), 60_000);
      expect(await client.workflow.getHandle(workflowId!).result()).toMatchObject({
        firing: { kind: 'manual', actor: 'test', scheduleId: handle.scheduleId },
      });
      expect(await ledger().query('select * from escapement.triggers')).toHaveLength(1);
    } finally {
      worker.shutdown();
      await running;
      await connection.close();
      await client.connection.close();
    }
    expect(logger.messages().filter((message) => message === 'trigger running')).toHaveLength(1);
    expect(logger.messages().at(-1)).toBe('trigger stopped');
    expect(await ledger().query('select * from escapement.triggers')).toEqual([]);
  });

  it('with park, a worker polls for activities of plugins behind it, or says that it would not', async () => {
    const address = inject('temporalAddress');
    const hello = new SimplePlugin({ name: 'hello', activities: { hello: async () => 'hello' } });
    const plugin = new EscapementPlugin({ connectionString: ledger().databaseUrl, park: 'all' });
    const connection = await NativeConnection.connect({ address });
    onTestFinished(() => connection.close());
    const workflowBundle = await bundleOf(require.resolve('../support/failures/park-workflows.ts'), { park: true });
    const workerOf = (plugins: WorkerPlugin[], options: Partial<WorkerOptions> = {}) =>
      Worker.create({ connection, taskQueue: uniqueName('queue'), workflowBundle, plugins, ...options });
    const polls = async (worker: Worker) =>
      (await worker.runUntil(async () => worker.options)).enableNonLocalActivities;

    expect(await polls(await workerOf([hello, plugin]))).toBe(true);
    expect(await polls(await workerOf([plugin, hello, plugin]))).toBe(true);
    expect(await polls(await workerOf([plugin, hello], { enableNonLocalActivities: true }))).toBe(true);
    expect(await polls(await workerOf([plugin, hello], { enableNonLocalActivities: false }))).toBe(false);
    const configureWorker = (options: WorkerOptions) => ({ ...options, enableNonLocalActivities: true });
    expect(await polls(await workerOf([plugin, hello, { name: 'asking', configureWorker }]))).toBe(true);
    const silent = await workerOf([plugin, hello]);
    await expect(silent.run()).rejects.toThrow('list EscapementPlugin last');
    // A worker that has not run keeps its connection open.
    silent.options.activities.delete('hello');
    expect(await polls(silent)).toBe(false);
  });

  it('takes every option that it declares', () => {
    const postgres = { connectionString: ledger().databaseUrl, schema: 'escapement', connectionsAtMost: 1 };
    const options = { ...postgres, queryTimeoutMilliseconds: 1_000, preparedStatements: true, park: 'all' as const };
    expect(new EscapementPlugin({ ...options, trigger: { connection: {} } }).name).toBe('escapement');
  });

  const UNSET = [{ connectionString: undefined }, { connectionString: '' }, { pool: undefined }];
  const IS_UNSET = 'EscapementPlugin.connectionString: is empty, and no pool is given (is DATABASE_URL set?)';

  it.each(UNSET)('with an unset address builds bundles and replays, but creates no worker: %j', async (options) => {
    const plugin = new EscapementPlugin(options);
    const [workflowsPath, replayName] = ['./workflows', 'replay'];
    expect(plugin.configureBundler({ workflowsPath })).toMatchObject({ workflowsPath });
    expect(plugin.configureReplayWorker({ workflowsPath, replayName })).toMatchObject({ workflowsPath, replayName });
    await expect(Worker.create({ taskQueue: 'queue', plugins: [plugin] })).rejects.toThrow(IS_UNSET);
  });

  it.each(UNSET)('that parks or has a trigger refuses an unset address at once: %j', (options) => {
    expect(() => new EscapementPlugin({ ...options, park: 'all' })).toThrow(IS_UNSET);
    expect(() => new EscapementPlugin({ ...options, trigger: {} })).toThrow(IS_UNSET);
  });

  it('refuses by name what it does not know', () => {
    expect(() => new EscapementPlugin({ metric: {} } as never)).toThrow(/EscapementPlugin\.metric: is not a field/);
    expect(() => new EscapementPlugin({ metrics: true } as never)).toThrow(
      /EscapementPlugin\.metrics: is not an object/,
    );
  });
});
