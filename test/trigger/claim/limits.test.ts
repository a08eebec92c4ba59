import { describe, expect, it } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { expectFirings } from '../../../testing';
import type { Trigger } from '../../../trigger';
import { announceAll } from '../../support/announced';
import { useEnvironment } from '../../support/environment';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();
const environment = useEnvironment('2026-03-01T00:30:00Z');

function runs(workflowType: string, options: Partial<ScheduleOptions> = {}): ScheduleOptions {
  const { action, ...rest } = options;
  const { taskQueue } = worker();
  return someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue, ...(action as object) }, ...rest });
}

async function fireAt(trigger: Trigger, instant: string) {
  ledger().clock.set(instant);
  await trigger.passes.claim();
  await trigger.passes.verify();
  await trigger.passes.dispatch();
}

/** Wait until the chain of an hour has ended, and let the ledger see it. */
async function observed(trigger: Trigger, scheduleId: string, hour: string) {
  const handle = worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T${hour}:00:00Z`);
  await handle.result().catch(() => {});
  ledger().clock.advance(60_000);
  await trigger.passes.observe();
}

describe('remainingActions', () => {
  it('completes the schedule with its last action, and the schedule stays', async () => {
    const env = environment();
    env.double('echoFiring');
    const handle = await env.client.create(someSchedule({ state: { remainingActions: 2 } }));
    expectFirings(await env.advanceTo('2026-03-01T04:00:00Z')).toBe(['01:00 completed', '02:00 completed']);
    const { state, info } = await handle.describe();
    expect(state).toMatchObject({ remainingActions: 0, paused: false });
    expect(info.nextFireAt).toBeUndefined();
  });

  it('says in the log when the last action is taken, once', async () => {
    const { scheduleId } = await ledger().client.create(runs('echoFiring', { state: { remainingActions: 2 } }));
    const trigger = await ledger().trigger();
    const said = () => ledger().log.lines.filter(({ message }) => message === 'completed: no action is left');
    await fireAt(trigger, '2026-03-01T01:00:00Z');
    expect(said()).toEqual([]);
    await observed(trigger, scheduleId, '01');
    await fireAt(trigger, '2026-03-01T02:00:00Z');
    await fireAt(trigger, '2026-03-01T03:00:00Z');
    expect(said()).toMatchObject([{ level: 'info', meta: { scheduleId } }]);
  });

  it('counts neither what overlap skips nor what a person asks for', async () => {
    const env = environment();
    env.double('echoFiring', { takes: '1 day' });
    const handle = await env.client.create(someSchedule({ state: { remainingActions: 1 } }));
    await handle.trigger();
    expectFirings(await env.advanceTo('2026-03-01T01:00:00Z')).toBe(['00:30 manual linked', '01:00 skipped (overlap)']);
    expect((await handle.describe()).state).toMatchObject({ remainingActions: 1 });
  });

  it('is cut where the last action lies, when many are due together', async () => {
    const env = environment();
    env.double('echoFiring');
    const policies = { overlap: 'ALLOW_ALL' } as const;
    const handle = await env.client.create(someSchedule({ state: { remainingActions: 2 }, policies }));
    await env.withoutTrigger(() => env.advanceTo('2026-03-01T06:00:00Z'));
    expectFirings(await env.advanceBy('1 minute')).toBe(['01:00 catchup completed', '02:00 catchup completed']);
    expect((await handle.describe()).info.answeredTo).toEqual(new Date('2026-03-01T02:59:59.999Z'));
  });
});

describe('remainingActions under maxConcurrent', () => {
  it('are never overdrawn, though later firings replace earlier ones', async () => {
    const env = environment();
    env.double('echoFiring', { takes: '1 day' });
    const policies = { overlap: 'TERMINATE_OTHER', maxConcurrent: 2 } as const;
    const handle = await env.client.create(someSchedule({ state: { remainingActions: 1 }, policies }));
    await env.withoutTrigger(() => env.advanceTo('2026-03-01T03:00:00Z'));
    expectFirings(await env.advanceBy('1 minute')).toBe(['01:00 catchup linked']);
    expect((await handle.describe()).state).toMatchObject({ remainingActions: 0 });
  });
});

describe('pauseOnFailure', () => {
  it('pauses the schedule when a firing fails, and says which', async () => {
    const handle = await ledger().client.create(runs('alwaysFails', { policies: { pauseOnFailure: true } }));
    const trigger = await ledger().trigger();
    await fireAt(trigger, '2026-03-01T01:00:00Z');
    await observed(trigger, handle.scheduleId, '01');
    const { state } = await handle.describe();
    expect(state).toMatchObject({
      paused: true,
      note: 'paused: its firing of 2026-03-01T01:00:00Z failed',
      pausedAt: expect.any(Date),
    });
    expect(state).not.toHaveProperty('pausedBy');
    await fireAt(trigger, '2026-03-01T02:00:00Z');
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule closed failed']);
    expect(ledger().log.messages()).toContain('paused: a firing failed');
  });

  it.each([
    ['while a pause with an end lasts', '01:10', { pausedBy: 'test' }],
    ['after a pause has ended, before a claim has recorded that', '02:10', {}],
  ])('pauses the schedule for good when a firing fails %s', async (_, at, by) => {
    const handle = await ledger().client.create(runs('alwaysFails', { policies: { pauseOnFailure: true } }));
    const trigger = await ledger().trigger();
    await fireAt(trigger, '2026-03-01T01:00:00Z');
    await handle.pause({ until: new Date('2026-03-01T01:30:00Z') });
    ledger().clock.set(`2026-03-01T${at}:00Z`);
    await observed(trigger, handle.scheduleId, '01');
    const { state } = await handle.describe();
    const note = 'paused: its firing of 2026-03-01T01:00:00Z failed';
    expect(state).toEqual({ paused: true, pausedAt: expect.any(Date), note, ...by });
    for (const hour of ['02', '03']) await fireAt(trigger, `2026-03-01T${hour}:30:00Z`);
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule closed failed']);
    expect(await ledger().query('select spec_format from escapement.timers')).toEqual([{ spec_format: 1 }]);
  });

  it('does not pause for a run that a deleted schedule of its ID has left', async () => {
    const env = environment();
    env.double('echoFiring', { takes: '10 minutes', outcome: 'failed' });
    const options = someSchedule({ policies: { pauseOnFailure: true } });
    const handle = await env.client.create(options);
    await env.advanceTo('2026-03-01T01:05:00Z');
    await handle.delete();
    await env.client.create(options);
    await env.advanceTo('2026-03-01T01:30:00Z');
    expectFirings(await env.answers(handle.scheduleId)).toBe(['01:00 failed']);
    expect((await handle.describe()).state.paused).toBe(false);
  });

  it('does not pause for a run that a person has terminated', async () => {
    const handle = await ledger().client.create(runs('untilFinished', { policies: { pauseOnFailure: true } }));
    const trigger = await ledger().trigger();
    await fireAt(trigger, '2026-03-01T01:00:00Z');
    await worker().client.workflow.getHandle(`${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`).terminate();
    await observed(trigger, handle.scheduleId, '01');
    expect((await handle.describe()).state.paused).toBe(false);
  });
});

describe('time limits', () => {
  it('softTimeout asks the chain to cancel itself, so that it can tidy up', async () => {
    const options = runs('untilFinished');
    Object.assign(options.action, { softTimeout: '30 minutes' });
    const { scheduleId } = await ledger().client.create(options);
    const trigger = await ledger().trigger();
    await fireAt(trigger, '2026-03-01T01:00:00Z');
    ledger().clock.set('2026-03-01T01:29:59Z');
    expect(await trigger.passes.reconcile()).toMatchObject({ anythingToInterrupt: false });
    expect(await trigger.passes.interrupt()).toMatchObject({ sent: 0 });
    ledger().clock.set('2026-03-01T01:30:00Z');
    expect(await trigger.passes.reconcile()).toMatchObject({ anythingToInterrupt: true });
    expect(await trigger.passes.interrupt()).toMatchObject({ sent: 1 });
    expect(await trigger.passes.interrupt()).toMatchObject({ sent: 0 });
    await observed(trigger, scheduleId, '01');
    expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule closed canceled']);
  });

  it('workflowExecutionTimeout is Temporal’s own hard limit', async () => {
    const options = runs('untilFinished');
    Object.assign(options.action, { workflowExecutionTimeout: '1 second' });
    const { scheduleId } = await ledger().client.create(options);
    const trigger = await ledger().trigger();
    await fireAt(trigger, '2026-03-01T01:00:00Z');
    await observed(trigger, scheduleId, '01');
    expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule closed timed_out']);
  });
});

describe('catch-up under SKIP', () => {
  it('runs the oldest of a hundred that were missed and skips those that come due behind it', async () => {
    const env = environment();
    env.double('echoFiring', { takes: '1 minute' });
    const { scheduleId } = await env.client.create(someSchedule());
    await env.withoutTrigger(() => env.advanceTo('2026-03-05T05:30:00Z'));
    await env.advanceBy('2 minutes');
    const [gap, ran, ...skipped] = await env.answers(scheduleId);
    expectFirings([gap!, ran!]).toBe(['01:00 gap of 1 (over_catchup_limit)', '02:00 catchup completed']);
    expect(skipped).toHaveLength(99);
    for (const firing of skipped)
      expect(firing).toMatchObject({ kind: 'catchup', state: 'skipped', reason: 'overlap_waiting' });
  });
});

it('an abandoned firing becomes one dead letter, which names where it was to run', async () => {
  const handle = await ledger().client.create(someSchedule());
  const { scheduleId } = handle;
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await announceAll(ledger(), trigger);
  await handle.delete();
  ledger().clock.advance(31_000);
  for (let look = 0; look < 2; look++) await trigger.passes.reconcile();
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule abandoned schedule_deleted']);
  expect(
    await ledger().query(
      'select schedule_id, kind, state, reason, namespace, workflow_id, run_id from escapement.dead_letters',
    ),
  ).toEqual([
    {
      schedule_id: scheduleId,
      kind: 'start',
      state: 'open',
      reason: 'schedule_deleted',
      namespace: 'default',
      workflow_id: `${scheduleId}-workflow-2026-03-01T01:00:00Z`,
      run_id: null,
    },
  ]);
});
