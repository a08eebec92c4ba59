import { inject, vi } from 'vitest';
import { refusing } from '../../support/failures/refusing';
import { uniqueName } from '../../support/ledger';
import type { Fault } from '../../support/scenes/planted-fault';

const noWorker: Fault = {
  fault: 'no worker',
  finding: 'no_poller',
  condition: 'stalled',
  async plant(scene) {
    const { ledger, taskQueue } = scene;
    const action = { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue: uniqueName('jbos') } as const;
    const scheduleId = await scene.schedule({ action });
    const trigger = await scene.trigger({ stalledAfter: 1 });
    await scene.goTo(trigger, '01:00:00');
    await vi.waitFor(async () => {
      await scene.go(trigger, 20, { without: ['alert', 'sendAlerts'] });
      const [firing] = await ledger.firings(scheduleId);
      if (firing!.stalled === null) throw new Error('is not stalled yet');
    }, 60_000);
    const heal = async () => {
      const handle = ledger.client.getHandle(scheduleId);
      await handle.update((described) => ({ ...described, action: { ...described.action, taskQueue } }));
      await scene.terminate(`${scheduleId}-workflow-2026-03-01T01:00:00Z`);
      await scene.go(trigger, 60);
    };
    return { trigger, heal };
  },
};

const wrongNamespace: Fault = {
  fault: 'a wrong namespace',
  finding: 'namespace_missing',
  condition: 'namespace_unreachable',
  async plant(scene) {
    const { ledger } = scene;
    const scheduleId = await scene.schedule({ namespace: 'biling' });
    const trigger = await scene.trigger();
    await scene.goTo(trigger, '01:00:00');
    await scene.go(trigger, 20);
    await scene.go(trigger, 10, { without: ['alert', 'sendAlerts'] });
    // Another schedule takes over the workflow ID; the claim of this one is abandoned after an hour.
    const heal = async () => {
      await ledger.client.getHandle(scheduleId).delete();
      await scene.schedule();
      const isWaiting = async () => (await ledger.firings(scheduleId)).some(({ state }) => state === 'claimed');
      for (let minute = 0; minute < 80 && (await isWaiting()); minute++) await scene.go(trigger, 60);
    };
    return { trigger, heal };
  },
};

const expiredCredentials: Fault = {
  fault: 'expired credentials',
  finding: 'credentials',
  condition: 'credentials',
  async plant(scene) {
    let areExpired = false;
    const UNAUTHENTICATED = 16;
    const connection = refusing(inject('temporalAddress'), UNAUTHENTICATED, () => areExpired);
    const trigger = await scene.trigger({ connection });
    areExpired = true;
    await scene.goTo(trigger, '01:00:00');
    await scene.go(trigger, 20);
    await scene.go(trigger, 10, { without: ['alert', 'sendAlerts'] });
    const heal = async () => {
      areExpired = false;
    };
    return { trigger, heal };
  },
};

const fullCap: Fault = {
  fault: 'a full cap',
  finding: 'cap_full',
  condition: 'cap_full',
  async plant(scene) {
    for (let index = 0; index < 2; index++) await scene.schedule();
    // One may go at once, the next one after an hour.
    const capped = await scene.trigger({
      maxStartsPerSecond: { taskQueues: { [scene.taskQueue]: 1 / 3_600 } },
      monotonic: () => scene.ledger.clock.now(),
    });
    await scene.goTo(capped, '01:00:00');
    for (let pass = 0; pass < 14; pass++) await scene.go(capped, 5, { without: ['sweep', 'alert', 'sendAlerts'] });
    const trigger = capped;
    const heal = async () => {
      await capped.close();
      const raised = await scene.trigger();
      for (let pass = 0; pass < 3; pass++) await scene.go(raised, 5);
    };
    return { trigger, heal };
  },
};

/** Faults of Temporal and its workers. */
export const OF_TEMPORAL = [noWorker, wrongNamespace, expiredCredentials, fullCap];
