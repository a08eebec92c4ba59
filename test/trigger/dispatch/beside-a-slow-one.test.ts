import { expect, inject, it } from 'vitest';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const quick = useWorker();
const slow = useWorker({ ownNamespace: true });

it('a namespace that takes long over every answer makes progress, and holds up nothing of a healthy one', async () => {
  const { clock, client } = ledger();
  const proxy = await proxyOf(inject('temporalAddress'));
  const create = async ({ taskQueue, namespace }: { taskQueue: string; namespace: string }, workflowType: string) => {
    const action = { type: 'startWorkflow' as const, workflowType, taskQueue };
    return (await client.create(someSchedule({ namespace, action }))).scheduleId;
  };
  const healthy = await create(quick(), 'echoFiring');
  const late = await create(slow(), 'echoFiring');
  // Whether it still runs is asked each time: to poll it, and before anything is skipped.
  const runsOn = await create(slow(), 'untilFinished');
  const trigger = await ledger().trigger({
    namespaces: { [slow().namespace]: { connection: { address: proxy.address } } },
    // An answer comes before any deadline, however busy this machine is.
    limits: {
      startDeadlineMilliseconds: 300_000,
      claimIntervalMilliseconds: 20,
      observeIntervalMilliseconds: 20,
      reconcileIntervalMilliseconds: 20,
    },
  });
  const running = trigger.run();
  const closed = (scheduleId: string) => async () => {
    clock.advance(100);
    return ledger().answers(scheduleId);
  };
  const expected: string[] = [];
  try {
    for (const hour of ['01', '02', '03']) {
      // Every call of the slow one takes as long as the healthy one takes for all of its firing, from claim to close.
      proxy.holdAnswers();
      clock.set(`2026-03-01T${hour}:00:00Z`);
      expected.push(`03-01T${hour}:00:00 schedule closed completed`);
      await expect.poll(closed(healthy)).toEqual(expected);
      expect((await ledger().answers(late)).at(-1)).not.toContain(`T${hour}:00:00 schedule closed`);
      proxy.restore();
      await expect.poll(closed(late)).toEqual(expected);
      const answer = hour === '01' ? 'linked' : 'skipped overlap';
      await expect
        .poll(async () => (await ledger().answers(runsOn)).at(-1))
        .toBe(`03-01T${hour}:00:00 schedule ${answer}`);
    }
  } finally {
    proxy.restore();
    trigger.shutdown();
    await running;
  }
});
