import { describe, expect, it, vi } from 'vitest';
import type { Trigger } from '../../../trigger';
import { announceAll } from '../../support/announced';
import { someSchedule } from '../../support/ledger';
import { DUE, useFailedFirings } from '../recover/failed-firings';

const { ledger, deployments, observeEnd, onlyLetter, firing, redrive, answer, runsOf } = useFailedFirings();

describe('a start that was given up', () => {
  /** Announced, lost while its schedule was paused, and abandoned since no call had landed. */
  async function abandoned(trigger: Trigger) {
    const { scheduleId } = await ledger().client.create(someSchedule());
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await announceAll(ledger(), trigger);
    await ledger().client.getHandle(scheduleId).pause();
    ledger().clock.advance(31_000);
    const other = await ledger().trigger();
    expect(await other.passes.reconcile()).toMatchObject({ abandoned: 1 });
    const letter = await onlyLetter();
    const meta = { letterId: letter.letterId, scheduleId, kind: 'start', reason: 'schedule_paused' };
    expect(ledger().log.lines.at(-1)).toMatchObject({ level: 'warn', message: 'dead letter', meta });
    return { scheduleId, letter };
  }

  /** Claim a firing whose definition Temporal refuses, and give it up. */
  async function rejected(trigger: Trigger) {
    await trigger.passes.claim();
    for (let attempt = 1; attempt <= 3; attempt++) {
      await trigger.passes.dispatch();
      ledger().clock.advance(2_000);
      await trigger.passes.reconcile();
    }
    ledger().clock.advance(20_000);
    await trigger.passes.reconcile();
    const letter = await onlyLetter();
    expect(letter).toMatchObject({ kind: 'start', reason: 'start_rejected' });
    return letter;
  }

  it('is redriven under the same request, on a paused schedule too', async () => {
    const trigger = await ledger().trigger();
    const { scheduleId, letter } = await abandoned(trigger);
    expect(letter).toMatchObject({ kind: 'start', reason: 'schedule_paused' });
    expect(await redrive(letter)).toMatchObject({ mode: 'restart' });
    expect(await trigger.passes.redrive()).toMatchObject({ restarted: 1 });
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await firing(scheduleId)).toMatchObject({ state: 'linked', workflowId: `${scheduleId}-workflow-${DUE}` });
  });

  it('waits behind the firings that are on time, also when its start was announced and not called after all', async () => {
    // The lease of each call is over before the call.
    const trigger = await ledger().trigger({ limits: { startLeaseMilliseconds: 0 } });
    const { letter } = await abandoned(trigger);
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ restarted: 1 });
    const readTurn = () => ledger().query('select state, owner, late, ready_at from escapement.firings');
    const turn = [{ state: 'claimed', owner: null, late: true, ready_at: new Date(ledger().clock.now()) }];
    expect(await readTurn()).toEqual(turn);
    ledger().clock.advance(1_000);
    expect(await trigger.passes.dispatch()).toMatchObject({ taken: 1, linked: 0 });
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, waiting: 1 });
    expect(await readTurn()).toEqual(turn);
  });

  it('is started by another trigger when the one that claimed it again is gone, and not given up again', async () => {
    const trigger = await ledger().trigger();
    const { scheduleId, letter } = await abandoned(trigger);
    await redrive(letter);
    await trigger.passes.redrive();
    await announceAll(ledger(), trigger);
    ledger().clock.advance(31_000);
    const other = await ledger().trigger();
    expect(await other.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1, abandoned: 0 });
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 0 });
    expect(await runsOf(`${scheduleId}-workflow-${DUE}`, 1)).toHaveLength(1);
  });

  it('and whose redriven workflow somebody ended gets a new ID, since Temporal would answer with the run that ended', async () => {
    const trigger = await ledger().trigger();
    const { scheduleId, letter } = await abandoned(trigger);
    await redrive(letter);
    await trigger.passes.redrive();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    const { runId } = await firing(scheduleId);
    const workflowId = `${scheduleId}-workflow-${DUE}`;
    await deployments().client.workflow.getHandle(workflowId).terminate();
    await observeEnd(trigger, workflowId);
    expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule closed terminated');
    expect(await onlyLetter()).toMatchObject({ kind: 'workflow', state: 'open', reason: 'terminated', runId });

    // As a trigger of an older version leaves the letter.
    await ledger().query(`update escapement.dead_letters set kind = 'start', reason = 'schedule_paused'`);
    const planned: unknown[] = [];
    for await (const plan of ledger().client.deadLetters.plan({ scheduleId })) planned.push(plan.workflowId);
    expect(planned).toEqual([`${workflowId}-restart-1`]);
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ restarted: 1 });
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await firing(scheduleId)).toMatchObject({ state: 'linked', workflowId: `${workflowId}-restart-1` });
  });

  it('because a stranger holds its workflow ID gets an ID of its own', async () => {
    const { client, taskQueue } = deployments();
    const { scheduleId } = await ledger().client.create(someSchedule());
    const workflowId = `${scheduleId}-workflow-${DUE}`;
    await client.workflow.start('untilFinished', { workflowId, taskQueue });
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    await redrive(await onlyLetter());
    await trigger.passes.redrive();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await firing(scheduleId)).toMatchObject({ state: 'linked', workflowId: `${workflowId}-restart-1` });
  });

  it('because Temporal refused its definition takes the schedule as it is by then', async () => {
    const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: 'nobody-polls' };
    // Which attributes a namespace has only its server knows.
    const options = someSchedule({ action: { ...action, searchAttributes: { NoSuchAttribute: ['x'] } } });
    const handle = await ledger().client.create(options);
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    const letter = await rejected(trigger);
    await handle.delete();
    await ledger().client.create({ ...options, action });
    await redrive(letter);
    await trigger.passes.redrive();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await firing(handle.scheduleId)).toMatchObject({ state: 'linked', scheduleVersion: 2 });
  });

  it('because Temporal refused its definition keeps the arguments that a person gave to it alone', async () => {
    const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: 'nobody-polls' };
    const ofAll = { ...action, args: ['emea'] };
    const handle = await ledger().client.create(
      someSchedule({ action: { ...ofAll, searchAttributes: { NoSuchAttribute: ['x'] } } }),
    );
    await handle.trigger({ args: ['apac'] });
    ledger().clock.advance(1_000);
    const trigger = await ledger().trigger();
    const letter = await rejected(trigger);

    await handle.update((previous) => ({ ...previous, action: ofAll }));
    await redrive(letter);
    await trigger.passes.redrive();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    const { workflowId } = await firing(handle.scheduleId);
    const { events } = await deployments().client.workflow.getHandle(workflowId!).fetchHistory();
    const { input } = events![0]!.workflowExecutionStartedEventAttributes!;
    expect(input!.payloads!.map(({ data }) => Buffer.from(data!).toString())).toEqual(['"apac"']);
  });

  it('and that Temporal’s own schedule has done meanwhile is skipped as native, and its letter resolved', async () => {
    const trigger = await ledger().trigger();
    const { scheduleId, letter } = await abandoned(trigger);
    const { client, taskQueue } = deployments();
    const native = await client.schedule.create({
      scheduleId,
      spec: { cronExpressions: ['0 * * * *'] },
      action: { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue },
      state: { paused: true },
    });
    const [start, end] = [new Date('2026-03-01T00:59:00Z'), new Date('2026-03-01T01:01:00Z')];
    await native.backfill({ start, end, overlap: 'ALLOW_ALL' });
    await vi.waitFor(() => client.workflow.getHandle(`${scheduleId}-workflow-${DUE}`).describe(), 60_000);
    await native.delete();

    await redrive(letter);
    await trigger.passes.redrive();
    await trigger.passes.dispatch();
    expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule skipped native');
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
  });
});
