import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startSkippingServer } from '../../../testing/start-server';
import { proxyOf } from '../../support/connections/proxy';
import { refusing } from '../../support/failures/refusing';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { bundleOf } from '../../support/packages/bundles';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const main = useWorker();

/** A second real server, whose only namespace here is `silent`, with a worker. */
let second: TestWorkflowEnvironment;
let secondQueue: string;
let stop: () => Promise<void>;
beforeAll(async () => {
  second = await startSkippingServer(inject('testServerPath'));
  secondQueue = uniqueName('queue');
  const worker = await Worker.create({
    connection: second.nativeConnection,
    namespace: 'silent',
    taskQueue: secondQueue,
    workflowBundle: await bundleOf(require.resolve('../../support/workers/workflows.ts')),
  });
  const running = worker.run();
  stop = async () => {
    worker.shutdown();
    await running;
    await second.teardown();
  };
});
afterAll(() => stop());

const HOUR = ['2026-03-01T01:00:00Z', '2026-03-01T02:00:00Z', '2026-03-01T03:00:00Z'] as const;
const INTERNAL = 13;

/** One schedule of each kind in a namespace. Each kind depends on Temporal's answers in another way. */
async function oneOfEach(namespace: string, taskQueue: string) {
  const create = async (workflowType: string, overlap: 'SKIP' | 'TERMINATE_OTHER' | 'BUFFER_ONE') => {
    const action = { type: 'startWorkflow' as const, workflowType, taskQueue };
    const options = someSchedule({ namespace, action, policies: { overlap } });
    return (await ledger().client.create(options)).scheduleId;
  };
  return {
    skips: await create('untilFinished', 'SKIP'),
    terminates: await create('untilFinished', 'TERMINATE_OTHER'),
    waits: await create('untilFinished', 'BUFFER_ONE'),
    fails: await create('alwaysFails', 'SKIP'),
  };
}

it('a namespace that never answers and one that only errs hold up nothing of a healthy one', async () => {
  const { clock, client } = ledger();
  const proxy = await proxyOf(second.address);
  const silent = await oneOfEach('silent', secondQueue);
  const healthy = await oneOfEach('default', main().taskQueue);
  await oneOfEach('erring', 'nobody-polls');
  const trigger = await ledger().trigger({
    namespaces: {
      silent: { connection: { address: proxy.address } },
      erring: { connection: refusing(inject('temporalAddress'), INTERNAL, (method) => method !== 'GetSystemInfo') },
    },
    // No call reaches its deadline before the test ends.
    limits: {
      startDeadlineMilliseconds: 300_000,
      claimIntervalMilliseconds: 20,
      observeIntervalMilliseconds: 20,
      reconcileIntervalMilliseconds: 20,
    },
  });
  const answers = (scheduleId: string) => ledger().answers(scheduleId);
  // Chains run and fail in both, before anything goes silent.
  clock.set(HOUR[0]);
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const isFailed = async () => {
    clock.advance(1_000);
    await trigger.passes.observe();
    return [...(await answers(silent.fails)), ...(await answers(healthy.fails))];
  };
  await expect.poll(isFailed).toEqual(Array(2).fill('03-01T01:00:00 schedule closed failed'));
  const letters = async (): Promise<Record<string, string>> => {
    const open: Record<string, string> = {};
    for await (const { scheduleId, letterId } of client.deadLetters.list()) open[scheduleId] ??= letterId;
    return open;
  };
  const { [silent.fails]: silentLetter, [healthy.fails]: healthyLetter } = await letters();

  proxy.holdAnswers();
  const running = trigger.run();
  try {
    await client.deadLetters.redrive(silentLetter!, { mode: 'restart' });
    // One call of each kind is in progress in the silent namespace, and stays so.
    clock.set(HOUR[1]);
    await expect
      .poll(() => answers(healthy.skips))
      .toContainEqual(expect.stringMatching(/^03-01T02:00:00 .*skipped overlap$/));
    await expect
      .poll(() => answers(healthy.terminates))
      .toEqual(['03-01T01:00:00 schedule closed terminated', expect.stringMatching(/^03-01T02:00:00 .*linked$/)]);
    await client.deadLetters.redrive(healthyLetter!, { mode: 'restart' });
    await expect
      .poll(() => answers(healthy.fails))
      .toContainEqual(expect.stringMatching(/^03-01T01:00:00 schedule (linked|closed)/));

    await main().client.workflow.getHandle(`${healthy.waits}-workflow-${HOUR[0]}`).signal('finish');
    const observed = async () => {
      clock.advance(1_000);
      return answers(healthy.waits);
    };
    await expect
      .poll(observed)
      .toEqual(['03-01T01:00:00 schedule closed completed', expect.stringMatching(/^03-01T02:00:00 .*linked$/)]);

    // And again, with all that by then waits for the silent one.
    clock.set(HOUR[2]);
    await expect
      .poll(() => answers(healthy.skips))
      .toContainEqual(expect.stringMatching(/^03-01T03:00:00 .*skipped overlap$/));
    await expect
      .poll(() => answers(healthy.terminates))
      .toContainEqual(expect.stringMatching(/^03-01T03:00:00 .*linked$/));

    expect(await answers(silent.skips)).toEqual(['03-01T01:00:00 schedule linked']);
    expect((await answers(silent.terminates))[0]).toBe('03-01T01:00:00 schedule linked');
  } finally {
    proxy.restore();
    trigger.shutdown();
    await running;
  }
});
