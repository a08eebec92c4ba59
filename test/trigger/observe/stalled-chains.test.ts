import { expect, it } from 'vitest';
import type { StalledReason } from '../../../temporal/port';
import { useLedger } from '../../support/ledger';
import { running } from './running';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** Two chains, and polls after which they make no progress for these reasons. */
async function stalling() {
  const one = await running(ledger(), { schedules: [{}, {}], limits: { listEndsIntervalMilliseconds: 0 } });
  const poll = async (...reasons: (StalledReason | undefined)[]) => {
    for (const [index, { workflowId }] of one.chains.entries()) one.double.stall('default', workflowId, reasons[index]);
    ledger().clock.advance(3_600_000);
    expect(await one.passes.observe()).toMatchObject({ polled: 2 });
    await one.passes.sayOver();
  };
  const stalled = async () => (await one.rows()).map((row) => row.stalled);
  return { ...one, poll, stalled };
}

it('when a chain stalls, has another reason or goes on, its row shows it, and one line says it with its route', async () => {
  const { poll, stalled, said, ids } = await stalling();
  await poll();
  expect(said('stalled')).toEqual([]);
  expect(said('no longer stalled')).toEqual([]);
  for (let again = 0; again < 2; again++) {
    await poll('no_worker');
    expect(await stalled()).toEqual(['no_worker', null]);
  }
  const fields = { scheduleId: ids[0], namespace: 'default', taskQueue: 'nobody-polls' };
  expect(said('stalled')).toMatchObject([{ level: 'warn', meta: { ...fields, reason: 'no_worker' } }]);
  await poll('task_failing');
  expect(await stalled()).toEqual(['task_failing', null]);
  expect(said('stalled').map(({ meta }) => meta.reason)).toEqual(['no_worker', 'task_failing']);
  expect(said('no longer stalled')).toEqual([]);
  await poll();
  expect(await stalled()).toEqual([null, null]);
  expect(said('no longer stalled')).toMatchObject([{ level: 'info', meta: fields }]);
  await poll();
  expect(said('no longer stalled')).toHaveLength(1);
});

it('a cause is said with what to make of it, and is over once no chain has it', async () => {
  const { poll, said } = await stalling();
  await poll('paused', 'paused');
  const route = { namespace: 'default', taskQueue: 'nobody-polls', reason: 'paused' };
  const error = 'somebody has paused the workflow in Temporal';
  expect(said('runs make no progress')).toMatchObject([{ level: 'warn', meta: { ...route, error } }]);
  await poll('paused');
  expect(said('runs make progress again')).toEqual([]);
  await poll();
  expect(said('runs make progress again')).toMatchObject([{ level: 'info', meta: route }]);
});

it('a chain that ends while it makes no progress does not stay so in its row', async () => {
  const { poll, passes, stalled, finish, said } = await stalling();
  await poll('no_worker');
  finish(0);
  ledger().clock.advance(3_600_000);
  expect(await passes.observe()).toMatchObject({ polled: 2, closed: 1 });
  expect(await stalled()).toEqual([null, null]);
  expect(said('no longer stalled')).toEqual([]);
  await passes.sayOver();
  expect(said('runs make progress again')).toHaveLength(1);
});
