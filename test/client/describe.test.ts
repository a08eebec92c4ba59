import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

it('describe says what a schedule did by Temporal’s names: recent, running, taken, missed and skipped actions', async () => {
  const { client, clock } = ledger();
  const action = { type: 'startWorkflow' as const, workflowType: 'untilFinished', taskQueue: worker().taskQueue };
  const policies = { overlap: 'SKIP' as const, catchupLimit: 1, catchupWindow: '1 hour' as const };
  const handle = await client.create(someSchedule({ action, policies }));
  const trigger = await ledger().trigger();
  for (const time of ['01:00', '02:00', '02:10']) {
    clock.set(`2026-03-01T${time}:00Z`);
    if (time === '02:10') await handle.trigger();
    await trigger.passes.claim();
    await trigger.passes.verify();
    await trigger.passes.dispatch();
  }
  clock.set('2026-03-01T06:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.verify();

  const { info } = await handle.describe();
  const [scheduled, manual] = (await ledger().firings(handle.scheduleId))
    .filter(({ runId }) => runId)
    .reverse()
    .map(({ scheduledTime, linkedAt, workflowId, runId }) => ({
      scheduledAt: scheduledTime,
      takenAt: linkedAt,
      action: { type: 'startWorkflow', workflow: { workflowId, firstExecutionRunId: runId } },
    }));
  expect(info).toMatchObject({
    recentActions: [scheduled, manual],
    runningActions: [scheduled!.action, manual!.action],
    numActionsTaken: 2,
    // 03:00 to 05:00: one of them within the window, and over the limit.
    numActionsMissedCatchupWindow: 3,
    numActionsSkippedOverlap: 2,
    createdAt: new Date('2026-03-01T00:30:00Z'),
    lastUpdatedAt: undefined,
    countedFrom: new Date('2026-03-01T00:30:00Z'),
  });
  expect(info.nextActionTimes).toHaveLength(10);
  const { schedules } = await client.listPage();
  expect(schedules[0]!.info).toMatchObject({
    recentActions: [scheduled, manual],
    nextActionTimes: info.nextActionTimes.slice(0, 5),
  });
  for (const workflowId of [scheduled!, manual!].map(({ action }) => action.workflow.workflowId)) {
    await worker().client.workflow.getHandle(workflowId!).signal('finish');
  }
});

it('counts begin again with a schedule that is created again under its name', async () => {
  const { client, clock } = ledger();
  const options = someSchedule({
    action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: 'nobody-polls' },
  });
  const handle = await client.create(options);
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  expect((await handle.describe()).info.numActionsTaken).toBe(1);
  await handle.delete();
  clock.set('2026-03-01T01:30:00Z');
  await client.create(options);
  expect((await handle.describe()).info).toMatchObject({ numActionsTaken: 0, recentActions: [] });
});

it('no more next times are promised than actions remain', async () => {
  const handle = await ledger().client.create(someSchedule({ state: { remainingActions: 2 } }));
  expect((await handle.describe()).info.nextActionTimes).toHaveLength(2);
});
