import { describe, expect, it, vi } from 'vitest';
import { eventTypes, Steps } from '../../support/failures/parking';
import { gate } from '../../support/leases/lease-activities';
import { uniqueName } from '../../support/ledger';
import { useParkedOrders } from '../../workflows/parked-order';

const { ledger, parking, parkedOrder } = useParkedOrders();

describe('replay', () => {
  it('what no firing started and raced a step against a timer without the plugin replays with it', async () => {
    const taskQueue = uniqueName('queue');
    const mailQueue = uniqueName('queue');
    const running = gate();
    const mailed = gate<string>();
    const sendMail = () => {
      running.open();
      return mailed.promise;
    };
    const work = () => parking.work({ taskQueue, stickyQueueScheduleToStartTimeout: '1 second' });
    const before = await work();
    await parking.work({ taskQueue: mailQueue, activities: { sendMail } });
    const options = { taskQueue, workflowId: taskQueue, args: ['A1', mailQueue] };
    const execution = await parking.client().workflow.start('race', options);
    await running.promise;
    await before.stop();
    // Both end in one workflow task, the step first.
    mailed.open('A1');
    await expect.poll(() => eventTypes(execution)).toContain('activityTaskCompletedEventAttributes');
    await expect.poll(() => eventTypes(execution)).toContain('timerFiredEventAttributes');
    await work();
    expect(await execution.result()).toBe('mail');
    await parking.replay(execution, [parking.plugin()]);
  });

  it('a job whose steps succeed has the same history with and without the plugin', async () => {
    const histories = [];
    for (const plugins of [[], [parking.plugin()]]) {
      const taskQueue = uniqueName('queue');
      await parking.work({ taskQueue, activities: new Steps().activities, plugins });
      const execution = await parking.fire('order', taskQueue);
      await execution.result();
      histories.push(await eventTypes(execution));
      await parking.replay(execution, []);
      await parking.replay(execution, [parking.plugin()]);
    }
    expect(histories[1]).toEqual(histories[0]);
  });

  it('histories from before the plugin replay with it, also those with failures', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    await parking.work({ taskQueue, activities: steps.activities });
    const failed = await parking.fire('order', taskQueue);
    await expect(failed.result()).rejects.toThrow();
    const forgiven = await parking.fire('forgiving', taskQueue);
    await expect(forgiven.result()).rejects.toThrow();
    for (const execution of [failed, forgiven]) await parking.replay(execution, [parking.plugin()]);
  });

  it('histories with a parked step replay whatever the configuration is now, parked, redriven or discarded', async () => {
    for (const decision of ['redrive', 'discard'] as const) {
      const { steps, execution, stop } = await parkedOrder();
      const configurations = [
        [parking.plugin()],
        [parking.plugin(), parking.plugin()],
        [parking.plugin({ park: [] })],
        [parking.plugin({ park: 'all' })],
      ];
      for (const plugins of configurations) await parking.replay(execution, plugins);
      steps.broken.clear();
      await parking.decide(execution, { decision });
      await execution.result().catch(() => {});
      for (const plugins of configurations) await parking.replay(execution, plugins);
      await stop();
      await ledger().query('delete from escapement.dead_letters');
    }
  });

  it('a workflow that failed a step before the plugin parks a later one, without a cache of workflows', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard').add('sendMail');
    const mails = uniqueName('queue');
    const old = await parking.work({ taskQueue, activities: steps.activities });
    const execution = await parking.fire('forgiving', taskQueue, ['A1', mails]);
    await vi.waitFor(async () => {
      const { raw } = await execution.describe();
      expect(raw.pendingActivities?.[0]?.activityType?.name).toBe('sendMail');
    }, 60_000);
    await old.stop();
    await parking.work({ taskQueue: mails, activities: steps.activities });
    await parking.work({
      taskQueue,
      activities: steps.activities,
      plugins: [parking.plugin({ park: 'all' })],
      maxCachedWorkflows: 0,
    });
    const [letter] = await parking.letters(1);
    expect(letter!.failed_step.activityType).toBe('sendMail');
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    expect(await execution.result()).toEqual(['chargeCard', 'sendMail A1', 'chargeCard A1']);
    await parking.replay(execution, [parking.plugin()]);
  });

  it('a history with a parked step does not replay without the plugin: drain before removing it', async () => {
    const { execution } = await parkedOrder();
    // The letter is written during the workflow task whose completion records the parking in the history.
    const replayed = () =>
      parking.replay(execution, []).then(
        () => 'replayed',
        (error: Error) => error.name,
      );
    await expect.poll(replayed).toBe('DeterminismViolationError');
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });
});
