import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { runScript, type TestProcess } from '../support/child';
import { uniqueName, useLedger } from '../support/ledger';

const ledger = useLedger();
let temporal: Client;

beforeAll(async () => {
  temporal = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterAll(() => temporal.connection.close());
beforeEach(async () => {
  await ledger().query('create table written (by text)');
});

/** A worker in a process of its own, told to work. */
async function startWork(): Promise<{ process: TestProcess; queue: string; result: Promise<unknown> }> {
  const queue = uniqueName('lease');
  const process = runScript('test/support/lease-child.ts', [ledger().databaseUrl, inject('temporalAddress'), queue]);
  await process.line(/^ready/);
  const handle = await temporal.workflow.start('runStep', { taskQueue: queue, workflowId: queue, args: ['work'] });
  return { process, queue, result: handle.result().catch((error) => error.cause.cause) };
}

async function tell(process: TestProcess, command: string): Promise<string> {
  process.write(command);
  return process.line(new RegExp(`^${command} `));
}

const written = async () => (await ledger().query<{ by: string }>('select by from written')).map(({ by }) => by);

it('a process that froze past its lease, while another took over, writes nothing when it wakes', async () => {
  const zombie = await startWork();
  const first = await zombie.process.line(/^holds/);
  zombie.process.kill('SIGSTOP');

  const other = await startWork();
  const second = await other.process.line(/^holds/);
  expect(Number(second.split(' ')[1])).toBeGreaterThan(Number(first.split(' ')[1]));
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
  expect(await zombie.result).toMatchObject({ type: 'LeaseLostError' });
  expect(await other.result).toBeUndefined();
});

it('a process that froze inside its guarded transaction does not block the takeover, and what it wrote is gone', async () => {
  const zombie = await startWork();
  await zombie.process.line(/^holds/);
  await tell(zombie.process, 'begin');
  expect(await tell(zombie.process, 'guard')).toBe('guard done');
  await tell(zombie.process, 'write');
  zombie.process.kill('SIGSTOP');

  const other = await startWork();
  await other.process.line(/^holds/);
  expect(await written()).toEqual([]);

  zombie.process.kill('SIGCONT');
  await zombie.process.line(/^connection lost: terminating connection due to idle-in-transaction timeout/);
  expect(await tell(zombie.process, 'commit')).not.toBe('commit done');
  expect(await written()).toEqual([]);
  zombie.process.write('end');
  other.process.write('end');
  expect(await zombie.result).toMatchObject({ type: 'LeaseLostError' });
  expect(await other.result).toBeUndefined();
});
