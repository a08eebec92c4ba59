import { randomUUID } from 'node:crypto';
import type { RetryPolicy } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { StoredSearchAttributes } from '../../core/definition/search-attributes';
import { connectTemporal } from '../../temporal/connection';
import { isOfNamespace } from '../../temporal/errors';
import type { TemporalPort, WorkflowStart } from '../../temporal/port';
import { TemporalDouble } from '../../testing';
import { uniqueName } from '../support/ledger';
import { ManualClock } from '../support/ledger-clock';
import { addSearchAttributes } from '../support/scenes/search-attributes';
import { useWorker } from '../support/temporal';
import { type StartChanges, startOf } from './start-of';

const worker = useWorker();
const clock = new ManualClock('2026-03-01T00:00:00Z');
const double = new TemporalDouble(clock, {
  searchAttributes: { EscapementRegion: 'KEYWORD', EscapementDay: 'DATETIME', EscapementCount: 'INT' },
});
let real: TemporalPort;
beforeAll(async () => {
  real = await connectTemporal(
    { address: inject('temporalAddress') },
    { deadlineMilliseconds: 60_000, identity: 'test', stalledAfterMilliseconds: 60_000 },
  );
  await addSearchAttributes(worker().client);
  double.play('echoFiring', { takes: '1 second' });
  double.play('failsTwice', { takes: '1 second', fails: 2 });
  double.play('continues', { takes: '1 second', continues: 2 });
  double.play('alwaysFails', { takes: '1 second', fails: true });
});
afterAll(() => real.close());

const start = (workflowType: string, changes: StartChanges = {}) => startOf(worker().taskQueue, workflowType, changes);

async function resetReally(workflowId: string, runId: string): Promise<void> {
  const request = { namespace: 'default', workflowExecution: { workflowId, runId }, requestId: randomUUID() };
  const { workflowService } = worker().client.connection;
  const { events } = await worker().client.workflow.getHandle(workflowId, runId).fetchHistory();
  const task = events!.find((event) => event.workflowTaskStartedEventAttributes)!;
  await workflowService.resetWorkflowExecution({
    ...request,
    reason: 'test',
    workflowTaskFinishEventId: task.eventId!,
  });
}

async function answerOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'started',
    (error) => error.kind,
  );
}

/** Promises that both Temporal and its double must keep. */
describe.each([
  [
    'Temporal',
    () => real,
    (id: string) =>
      worker()
        .client.workflow.getHandle(id)
        .result()
        .catch(() => {}),
    resetReally,
  ],
  [
    'its double',
    () => double,
    async () => clock.advance(60_000),
    async (id: string) => double.resetChain('default', id),
  ],
] as const)('%s', (_, port, ended, reset) => {
  const describeOf = (one: WorkflowStart, runId?: string) =>
    port().describeChain('default', one.firing.workflowId, runId);
  const targetOf = (one: WorkflowStart, firstRunId: string) => ({
    namespace: 'default',
    workflowId: one.firing.workflowId,
    firstRunId,
  });

  it('returns the first run however often the same request comes, and takes no other one, running or closed', async () => {
    const one = start('untilFinished');
    const { runId } = await port().startWorkflow(one);
    expect(await port().startWorkflow(one)).toEqual({ runId });
    const other = { ...start('untilFinished'), firing: one.firing };
    await expect(port().startWorkflow(other)).rejects.toMatchObject({ kind: 'taken' });
    await port().terminate(targetOf(one, runId), { reason: 'test' });
    expect(await port().startWorkflow(one)).toEqual({ runId });
    await expect(port().startWorkflow(other)).rejects.toMatchObject({ kind: 'taken' });
    expect(await describeOf(one)).toMatchObject({ firstRunId: runId, outcome: 'terminated', memo: one.memo });
  });

  it.each([
    ['echoFiring', [], 'completed'],
    ['failsTwice', [], 'completed'],
    ['continues', [2], 'completed'],
    ['alwaysFails', [], 'failed'],
  ] as const)('tells how a chain of %s ends under its first run', async (workflowType, args, outcome) => {
    const one = start(workflowType, { args: [...args] });
    const { runId } = await port().startWorkflow(one);
    await ended(one.firing.workflowId);
    expect(await describeOf(one)).toMatchObject({ firstRunId: runId, outcome });
    // A run by its own ID: a retried run has failed, and one that continued as new has no outcome.
    const first = { failsTwice: 'failed', continues: undefined }[workflowType as string];
    if (workflowType in { failsTwice: 0, continues: 0 }) expect((await describeOf(one, runId))!.outcome).toBe(first);
  });

  it.each<[string, RetryPolicy | undefined, string]>([
    ['without a policy', undefined, 'failed'],
    ['of two attempts', { initialInterval: 1, maximumAttempts: 2 }, 'failed'],
    ['of any number', { initialInterval: 1 }, 'completed'],
  ])('runs a workflow that fails twice again as its retry policy says: %s', async (_, retry, outcome) => {
    const one = start('failsTwice', { retry });
    const { runId } = await port().startWorkflow(one);
    await ended(one.firing.workflowId);
    expect(await describeOf(one)).toMatchObject({ firstRunId: runId, outcome });
  });

  it.each<[string, StoredSearchAttributes, string]>([
    ['that it does not have', { EscapementNobodys: { value: ['x'] } }, 'rejected'],
    ['with a text where it has numbers', { EscapementCount: { value: ['many'] } }, 'rejected'],
    ['with a fraction where it has integers', { EscapementCount: { type: 'Double', value: 1.5 } }, 'rejected'],
    ['with a number where it has texts', { EscapementRegion: { value: [3] } }, 'rejected'],
    ['with a text where it has times', { EscapementDay: { type: 'Keyword', value: 'monday' } }, 'rejected'],
    [
      'that it has, with values of their types',
      {
        EscapementRegion: { value: ['emea'] },
        EscapementDay: { type: 'Datetime', value: '2026-03-01T00:00:00.000Z' },
        EscapementCount: { type: 'Int', value: 3 },
      },
      'started',
    ],
  ])('takes or rejects a start with search attributes %s', async (_, searchAttributes, expected) => {
    const one = start('echoFiring');
    const answer = await answerOf(port().startWorkflow({ ...one, action: { ...one.action, searchAttributes } }));
    expect(answer).toBe(expected);
    expect((await describeOf(one)) !== undefined).toBe(expected === 'started');
  });

  it('refuses every call to a namespace that is not there, and lists nothing of it', async () => {
    const namespace = uniqueName('nowhere');
    const one = start('echoFiring');
    const target = { namespace, workflowId: one.firing.workflowId, firstRunId: randomUUID() };
    const run = { ...target, runId: target.firstRunId, requestId: randomUUID() };
    const calls = [
      port().startWorkflow({ ...one, firing: { ...one.firing, namespace } }),
      port().describeChain(namespace, target.workflowId),
      port().retention(namespace),
      port().failedStep(namespace, target.workflowId, run.runId),
      port().resetPoint(namespace, target.workflowId, run.runId),
      port().reset({ ...run, eventId: 3, reason: 'test' }),
      port().signal({ ...run, name: 'nothing', argument: null }),
      port().requestCancel(target, { requestId: run.requestId, reason: 'test' }),
      port().terminate(target, { reason: 'test' }),
    ];
    const answers = await Promise.allSettled(calls);
    for (const answer of answers) {
      const error = (answer as PromiseRejectedResult).reason;
      expect(error).toMatchObject({ kind: 'refused', unsent: true, message: expect.stringContaining(namespace) });
      expect(isOfNamespace(error)).toBe(true);
    }
    expect(await port().listRuns(namespace, { since: new Date(0), size: 10, token: undefined })).toBeUndefined();
  });

  it('begins what is handed over ahead no earlier than its time, and knows it from the call on', async () => {
    const handedOverAt = port() === double ? clock.now() : Date.now();
    const one = { ...start('echoFiring'), delayMilliseconds: 1_500 };
    const { runId } = await port().startWorkflow(one);
    expect(await port().startWorkflow(one)).toEqual({ runId });
    expect(await describeOf(one)).toMatchObject({ firstRunId: runId, outcome: undefined });
    await ended(one.firing.workflowId);
    const chain = await describeOf(one);
    expect(chain).toMatchObject({ firstRunId: runId, outcome: 'completed' });
    expect(chain!.closedAt!.getTime()).toBeGreaterThanOrEqual(handedOverAt + 1_500);
  });

  it('cancels what is handed over ahead and has not begun', async () => {
    const one = { ...start('untilFinished'), delayMilliseconds: 3_600_000 };
    const { runId } = await port().startWorkflow(one);
    await port().requestCancel(targetOf(one, runId), { requestId: randomUUID(), reason: 'test' });
    await ended(one.firing.workflowId);
    expect(await describeOf(one)).toMatchObject({ firstRunId: runId, outcome: 'canceled' });
  });

  it.each(['failsTwice', 'continues'])(
    'no longer knows the request of a chain of %s that has gone on',
    async (workflowType) => {
      const one = start(workflowType, { args: [2] });
      await port().startWorkflow(one);
      await ended(one.firing.workflowId);
      await expect(port().startWorkflow(one)).rejects.toMatchObject({ kind: 'taken' });
    },
  );

  it('keeps a chain that is reset under its first run, also when its request comes again', async () => {
    const one = start('echoFiring');
    const { workflowId } = one.firing;
    const { runId } = await port().startWorkflow(one);
    await ended(workflowId);
    await reset(workflowId, runId);
    const again = { ...one, firing: { ...one.firing, calledBefore: true } };
    // Servers before 1.32 no longer know the request of a chain that was reset.
    const answer = await port()
      .startWorkflow(again)
      .catch((error) => error.kind);
    expect([{ runId }, 'taken']).toContainEqual(answer);
    await ended(workflowId);
    expect(await describeOf(one)).toMatchObject({ firstRunId: runId, outcome: 'completed' });
  });

  it('goes on telling how the run before a reset failed', async () => {
    const one = start('alwaysFails');
    const { workflowId } = one.firing;
    const { runId } = await port().startWorkflow(one);
    await ended(workflowId);
    const request = { namespace: 'default', workflowId, runId, eventId: 4, requestId: randomUUID(), reason: 'test' };
    const again = await port().reset(request);
    await ended(workflowId);
    expect(await describeOf(one)).toMatchObject({ firstRunId: runId, runId: again!.runId, outcome: 'failed' });
    for (const failed of [runId, again!.runId]) {
      expect(await port().failedStep('default', workflowId, failed)).toMatchObject({ runId: failed });
    }
  });

  it('does not retry a run after a reset once more than its former run would have been', async () => {
    const one = start('alwaysFails', { retry: { initialInterval: 1, maximumAttempts: 2 } });
    const { workflowId } = one.firing;
    await port().startWorkflow(one);
    await ended(workflowId);
    const { runId } = (await describeOf(one))!;
    const request = { namespace: 'default', workflowId, runId, eventId: 4, requestId: randomUUID(), reason: 'test' };
    const again = await port().reset(request);
    await ended(workflowId);
    expect(await describeOf(one)).toMatchObject({ runId: again!.runId, outcome: 'failed' });
  });

  it('interrupts the chain that is meant and no other, and what has ended or never was is no error', async () => {
    const one = start('untilFinished');
    const { runId } = await port().startWorkflow(one);
    const cancel = { requestId: randomUUID(), reason: 'test' };
    await port().requestCancel(targetOf(one, randomUUID()), cancel);
    await port().terminate(targetOf(one, randomUUID()), cancel);
    expect((await describeOf(one))!.outcome).toBeUndefined();
    await port().requestCancel(targetOf(one, runId), cancel);
    await ended(one.firing.workflowId);
    expect((await describeOf(one))!.outcome).toBe('canceled');
    await port().requestCancel(targetOf(one, runId), cancel);
    await port().terminate(targetOf(one, runId), cancel);
    expect((await describeOf(one))!.outcome).toBe('canceled');
    const nobody = start('untilFinished');
    await port().terminate(targetOf(nobody, runId), cancel);
    expect(await describeOf(nobody)).toBeUndefined();
  });
});

it('refuses failures of a workflow that are neither a number nor all', () => {
  expect(() => double.play('charge', { fails: 'all' as never })).toThrow(
    'fails: is neither a whole number from 0 nor true',
  );
});
