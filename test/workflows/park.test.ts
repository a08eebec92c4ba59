import { type ActivityExecuteInput, bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { describe, expect, it, vi } from 'vitest';
import type { BuryRequest } from '../../core/letters/park';
import { migrate } from '../../migrations';
import { openStore } from '../../store/connection';
import { buryStep } from '../../store/letters/parked';
import { proxyOf } from '../support/connections/proxy';
import { eventTypes, Steps, useParking } from '../support/failures/parking';
import { gate } from '../support/leases/lease-activities';
import { uniqueName, useLedger } from '../support/ledger';
import { sdkLog } from '../support/quiet-sdk';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger);

/** An order whose card cannot be charged, on a worker that parks that step. */
async function parkedOrder(workflowType = 'order') {
  const taskQueue = uniqueName('queue');
  const steps = new Steps();
  steps.broken.add('chargeCard');
  const { stop } = await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
  const execution = await parking.fire(workflowType, taskQueue);
  const [letter] = await parking.letters(1);
  return { taskQueue, steps, execution, letter: letter!, stop };
}

describe('a parked step', () => {
  it('is said at warn with its letter, each time that it is parked', async () => {
    const { execution, letter } = await parkedOrder();
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    const said = () =>
      sdkLog()
        .filter(({ meta }) => meta?.letterId === letter.letter_id)
        .map(({ level, message, meta }) => ({ level, message, ...meta }));
    await expect.poll(said).toHaveLength(2);
    const { letter_id: letterId, schedule_id: scheduleId, scheduled_time: at } = letter;
    const line = { level: 'WARN', message: 'parked', letterId, scheduleId, step: 'chargeCard' };
    expect(said()).toMatchObject([
      { ...line, scheduledTime: (at as Date).toISOString(), burial: 1 },
      { ...line, burial: 2 },
    ]);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });

  it('holds its workflow visibly until it is redriven, and goes on where it broke', async () => {
    const { steps, execution, letter } = await parkedOrder();
    expect(letter).toMatchObject({
      kind: 'parked',
      state: 'open',
      reason: 'step_failed',
      workflow_id: execution.workflowId,
      failed_step: {
        activityType: 'chargeCard',
        retryState: 'MAXIMUM_ATTEMPTS_REACHED',
        failure: { type: 'Error', message: 'chargeCard of A1 does not work' },
        burial: 1,
      },
    });
    expect((await execution.describe()).status.name).toBe('RUNNING');
    expect(await execution.query('escapementParked')).toMatchObject([{ activityType: 'chargeCard', burial: 1 }]);
    const details = async () =>
      (await execution.query<{ currentDetails: string }, []>('__temporal_workflow_metadata')).currentDetails;
    await vi.waitFor(async () => {
      expect(await details()).toBe(
        `Parked at \`chargeCard\` (Error: chargeCard of A1 does not work). Redrive or discard dead letter ${letter.letter_id}.`,
      );
    }, 60_000);

    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(steps.calls).toEqual(['chargeCard', 'chargeCard', 'chargeCard', 'sendMail']);
    expect(await execution.query('escapementParked')).toEqual([]);
    expect(await details()).toBe('before the order');
  });

  it('is parked again when it fails again, under its letter, and not by the decision of before', async () => {
    const { execution, letter } = await parkedOrder();
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    await vi.waitFor(async () => {
      const [again] = await parking.letters(1);
      expect(again).toMatchObject({ letter_id: letter.letter_id, failed_step: { burial: 2 } });
    }, 60_000);
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    expect(await execution.query('escapementParked')).toMatchObject([{ burial: 2 }]);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });

  it('fails with its own failure when it is discarded', async () => {
    const { execution } = await parkedOrder();
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toMatchObject({
      cause: { activityType: 'chargeCard', cause: { message: 'chargeCard of A1 does not work' } },
    });
  });

  it('can be cancelled', async () => {
    const { execution } = await parkedOrder();
    await execution.cancel();
    await expect(execution.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  });

  it('lets its siblings go on, and waits beside them', async () => {
    const { steps, execution } = await parkedOrder('both');
    await vi.waitFor(() => expect(steps.calls).toContain('sendMail'), 60_000);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(steps.calls.filter((name) => name === 'sendMail')).toHaveLength(1);
  });

  it('may be several at once, each with its letter, which one decision redrives', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard').add('sendMail');
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin({ park: 'all' })] });
    const execution = await parking.fire('both', taskQueue);
    await vi.waitFor(async () => {
      const letters = await parking.letters(2);
      expect(letters.map(({ failed_step }) => failed_step.activityType).sort()).toEqual(['chargeCard', 'sendMail']);
      const metadata = await execution.query<{ currentDetails: string }, []>('__temporal_workflow_metadata');
      expect(metadata.currentDetails).toMatch(/Parked at [\s\S]*Parked at /);
    }, 60_000);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial: 2 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('is decided with the one that failed before it, though that was buried after it', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard').add('sendMail');
    const second = gate();
    const late = {
      execute: async (input: ActivityExecuteInput, next: (input: ActivityExecuteInput) => Promise<unknown>) => {
        const { step } = input.args[0] as Partial<BuryRequest>;
        if (step?.burial === 1) await second.promise;
        return next(input).finally(() => step?.burial === 2 && second.open());
      },
    };
    const interceptors = { activity: [() => ({ inbound: late })] };
    const plugins = [parking.plugin({ park: 'all' })];
    await parking.work({ taskQueue, activities: steps.activities, plugins, interceptors });
    const execution = await parking.fire('both', taskQueue);
    await expect.poll(() => execution.query('escapementParked').catch(() => []), { timeout: 60_000 }).toHaveLength(2);
    const metadata = () => execution.query<{ currentDetails: string }, []>('__temporal_workflow_metadata');
    await expect.poll(async () => (await metadata()).currentDetails).toMatch(/Parked at [\s\S]*Parked at /);
    const letters = await parking.letters(2);
    const { burial, runId } = letters.find(({ failed_step }) => failed_step.burial === 2)!.failed_step;
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial, runId });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('is shown and buried though its failure’s text cannot be stored', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
    const execution = await parking.fire('order', taskQueue, [`A\0${'x'.repeat(983)}🕰️`]);
    const [letter] = await parking.letters(1);
    expect(letter!.failed_step.failure.message).toBe(`chargeCard of A\uFFFD${'x'.repeat(983)}\uFFFD`);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });

  it('is not decided by a signal that says nothing', async () => {
    const { steps, execution } = await parkedOrder();
    await execution.signal('escapementPark');
    expect(await execution.query('escapementParked')).toMatchObject([{ burial: 1 }]);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    await execution.result();
  });

  it('that failed again after a reset is not decided by what was said of the run before', async () => {
    const { steps, execution, letter } = await parkedOrder();
    await parking.reset(execution, 'first');
    const again = await vi.waitFor(async () => {
      const [row] = await parking.letters(1);
      expect(row!.failed_step.runId).not.toBe(letter.failed_step.runId);
      return row!;
    }, 60_000);
    await parking.decide(execution, { decision: 'discard', burial: 1, runId: letter.failed_step.runId });
    expect(await execution.query('escapementParked')).toMatchObject([{ burial: 1 }]);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial: 1, runId: again.failed_step.runId });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('keeps its letter when it is buried twice, and has one of its own; one that is not this firing’s has none', async () => {
    const { execution, letter } = await parkedOrder();
    const store = openStore({ connectionString: ledger().databaseUrl });
    const { scheduleId, scheduledTime, installation, epoch } = (await execution.describe()).memo!
      .escapement as BuryRequest;
    const { runId, ...step } = letter.failed_step;
    const { letter_id } = letter;
    const bury = (burial: number, otherwise: Partial<Pick<BuryRequest, 'installation' | 'epoch'>> = {}) =>
      buryStep(store, {
        failedAt: Date.now(),
        ...{ installation, scheduleId, scheduledTime, epoch, runId, workflowId: execution.workflowId, ...otherwise },
        step: { ...step, burial },
      });
    expect(await bury(1)).toBe(letter_id);
    const other = await bury(2);
    expect([other === letter_id, await bury(2)]).toEqual([false, other]);
    // The same firing key in another ledger, and a firing that was restarted meanwhile.
    expect(await bury(4, { installation: 'another' })).toBeUndefined();
    expect(await bury(4, { epoch: 1 })).toBeUndefined();
    await store.close();
    await parking.letters(2);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });

  it('is buried though Postgres is away when it fails', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(url.host);
    url.host = proxy.address;
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const plugins = [parking.plugin({ connectionString: url.href })];
    await parking.work({ taskQueue, activities: steps.activities, plugins });
    proxy.cut();
    const execution = await parking.fire('order', taskQueue);
    await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(1), 60_000);
    expect((await execution.describe()).status.name).toBe('RUNNING');
    proxy.restore();
    await parking.letters(1);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    await execution.result();
  });
});

describe('a step fails as ever', () => {
  it('when it is not among those to park', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('sendMail');
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
    const execution = await parking.fire('order', taskQueue);
    await expect(execution.result()).rejects.toMatchObject({ cause: { activityType: 'sendMail' } });
    await parking.letters(0);
  });

  it('in a workflow that no firing started, and in one of another ledger', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
    const own = { taskQueue, workflowId: taskQueue, args: ['A1'] };
    await expect(parking.client().workflow.execute('order', own)).rejects.toMatchObject({
      cause: { activityType: 'chargeCard' },
    });
    expect(await eventTypes(parking.client().workflow.getHandle(taskQueue))).not.toContain(
      'markerRecordedEventAttributes',
    );

    const other = uniqueName('queue');
    await migrate({ connectionString: ledger().databaseUrl, schema: 'other' });
    await parking.work({
      taskQueue: other,
      activities: steps.activities,
      // As its owner: a role has grants in one schema.
      plugins: [parking.plugin({ schema: 'other', connectionString: ledger().databaseUrl })],
    });
    await expect((await parking.fire('order', other)).result()).rejects.toMatchObject({
      cause: { activityType: 'chargeCard' },
    });
    expect(await ledger().query('select from other.dead_letters')).toEqual([]);
  });
});

it('a step that is redriven goes once through the interceptors of others', async () => {
  const taskQueue = uniqueName('queue');
  const calls: unknown[][] = [];
  let isBroken = true;
  const chargeCard = async (...args: unknown[]) => {
    calls.push(args);
    if (isBroken) throw new Error('declined');
  };
  const plugins = [parking.plugin()];
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('../support/failures/park-workflows.ts'),
    workflowInterceptorModules: [require.resolve('../support/workers/tenant-interceptor.ts')],
    plugins,
    logger: new DefaultLogger('ERROR'),
  });
  await parking.work({ taskQueue, activities: { chargeCard }, workflowBundle, plugins });
  const execution = await parking.fire('patient', taskQueue);
  await parking.letters(1);
  isBroken = false;
  await parking.decide(execution, { decision: 'redrive' });
  await execution.result();
  expect(calls).toEqual([
    ['tenant', 'A1'],
    ['tenant', 'A1'],
  ]);
});

it('a step that is cancelled is not parked', async () => {
  const taskQueue = uniqueName('queue');
  const running = gate();
  const charged = gate<string>();
  const chargeCard = () => {
    running.open();
    return charged.promise;
  };
  await parking.work({ taskQueue, activities: { chargeCard }, plugins: [parking.plugin()] });
  const execution = await parking.fire('order', taskQueue);
  await running.promise;
  await execution.cancel();
  await expect(execution.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(await eventTypes(execution)).not.toContain('markerRecordedEventAttributes');
  charged.open('too late');
});

it('a step that fails while its workflow is cancelled fails it with its own failure, as without the plugin', async () => {
  const taskQueue = uniqueName('queue');
  const running = gate();
  const refunded = gate();
  const chargeCard = async () => {
    running.open();
    await refunded.promise;
    throw new Error('no refund');
  };
  await parking.work({ taskQueue, activities: { chargeCard }, plugins: [parking.plugin()] });
  const execution = await parking.fire('patient', taskQueue);
  await running.promise;
  await execution.cancel();
  const requested = 'activityTaskCancelRequestedEventAttributes';
  await expect.poll(() => eventTypes(execution)).toContain(requested);
  refunded.open();
  await expect(execution.result()).rejects.toMatchObject({
    cause: { activityType: 'chargeCard', cause: { message: 'no refund' } },
  });
});

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

describe('EscapementPlugin with park', () => {
  it('parks on a worker without activities, which does not begin to poll for them, from a path or twice over', async () => {
    const taskQueue = uniqueName('queue');
    const elsewhere = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const plugin = parking.plugin();
    await parking.work({
      taskQueue,
      workflowBundle: undefined,
      workflowsPath: require.resolve('../support/failures/park-workflows.ts'),
      plugins: [plugin, plugin],
      maxCachedWorkflows: 0,
    });
    const mail = await parking.work({ taskQueue: elsewhere, activities: steps.activities });
    const execution = await parking.fire('order', taskQueue, ['A1', elsewhere]);
    await parking.letters(1);
    const pollers = async (queue: string, taskQueueType: number) =>
      (
        await parking.client().workflowService.describeTaskQueue({
          namespace: 'default',
          taskQueue: { name: queue },
          taskQueueType,
        })
      ).pollers?.length;
    // Workflow tasks, then activities.
    expect(await pollers(taskQueue, 1)).toBeGreaterThan(0);
    expect(await pollers(elsewhere, 2)).toBeGreaterThan(0);
    expect(await pollers(taskQueue, 2)).toBe(0);
    // The letter is there before the workflow task that wrote it has ended.
    const markers = async () => (await eventTypes(execution)).filter((type) => type.startsWith('marker'));
    await expect.poll(markers, { timeout: 60_000 }).toHaveLength(2);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    await mail.stop();
  });

  it('refuses a workflow bundle that was built without it', async () => {
    const work = parking.work({
      taskQueue: uniqueName('queue'),
      workflowBundle: parking.plainBundle(),
      plugins: [parking.plugin()],
    });
    await expect(work).rejects.toThrow(/bundle was built without it.*bundleWorkflowCode/);
  });

  it.each([
    [{ park: 'chargeCard' }, /park: give a list of activity types/],
    [{ park: [''] }, /park: give a list of activity types/],
    [{ park: 'all', connectionString: undefined }, /park: give a pool or a connectionString/],
  ])('refuses %j', (options, message) => {
    expect(() => parking.plugin(options as never)).toThrow(message);
  });
});
