import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { temporaryFile } from '../support/folder';
import { uniqueName, useLedger } from '../support/ledger';
import { bundleOf } from '../support/packages/bundles';
import { runScript, type TestProcess } from '../support/processes/child';

const ledger = useLedger();
let temporal: Client;

beforeAll(async () => {
  temporal = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterAll(() => temporal.connection.close());

interface TestWorker {
  process: TestProcess;
  queue: string;
}

/** Each in a process of its own; they have no work yet. */
let zombie: TestWorker;
let other: TestWorker;

beforeEach(async () => {
  await ledger().query('create table written (by text)');
  const { code } = await bundleOf(require.resolve('../support/leases/lease-workflows.ts'));
  const bundle = await temporaryFile('workflows.js', code);
  const start = async (): Promise<TestWorker> => {
    const queue = uniqueName('lease');
    const args = [ledger().databaseUrl, inject('temporalAddress'), queue, bundle];
    const process = runScript('test/support/leases/lease-child.ts', args);
    await process.line(/^ready/);
    return { process, queue };
  };
  [zombie, other] = await Promise.all([start(), start()]);
});

/** Have a worker take the lease. */
async function work({ process, queue }: TestWorker): Promise<{ token: number; result: Promise<unknown> }> {
  const handle = await temporal.workflow.start('runStep', { taskQueue: queue, workflowId: queue, args: ['work'] });
  const result = handle.result().catch((error) => error.cause.cause);
  const held = await process.line(/^holds/);
  return { token: Number(held.split(' ')[1]), result };
}

async function tell(process: TestProcess, command: string): Promise<string> {
  process.write(command);
  return process.line(new RegExp(`^${command} `));
}

const written = async () => (await ledger().query<{ by: string }>('select by from written')).map(({ by }) => by);

it('a process that froze past its lease, while another took over, writes nothing when it wakes', async () => {
  const first = await work(zombie);
  zombie.process.kill('SIGSTOP');

  const second = await work(other);
  expect(second.token).toBeGreaterThan(first.token);
  await tell(other.process, 'begin');
  expect(await tell(other.process, 'guard')).toBe('guard done');
  await tell(other.process, 'write');
  await tell(other.process, 'commit');

  zombie.process.kill('SIGCONT');
  await tell(zombie.process, 'begin');
  expect(await tell(zombie.process, 'guard')).toBe('guard LeaseLostError');
  expect(await tell(zombie.process, 'write')).toBe('write error');
  await tell(zombie.process, 'commit');
  expect(zombie.process.output).toContain('ROLLBACK');
  expect(await zombie.process.line(/^aborted/)).toBe('aborted LeaseLostError');
  expect(await written()).toEqual([other.queue]);

  zombie.process.write('end');
  other.process.write('end');
  expect(await first.result).toMatchObject({ type: 'LeaseLostError' });
  expect(await second.result).toBeUndefined();
});

it('a process that froze inside its guarded transaction does not block the takeover, and what it wrote is gone', async () => {
  const first = await work(zombie);
  await tell(zombie.process, 'begin');
  expect(await tell(zombie.process, 'guard')).toBe('guard done');
  await tell(zombie.process, 'write');
  zombie.process.kill('SIGSTOP');

  const second = await work(other);
  expect(await written()).toEqual([]);

  zombie.process.kill('SIGCONT');
  await zombie.process.line(/^connection lost: terminating connection due to idle-in-transaction timeout/);
  expect(await tell(zombie.process, 'commit')).not.toBe('commit done');
  expect(await written()).toEqual([]);
  zombie.process.write('end');
  other.process.write('end');
  expect(await first.result).toMatchObject({ type: 'LeaseLostError' });
  expect(await second.result).toBeUndefined();
});
