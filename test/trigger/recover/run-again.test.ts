import { expect, it, vi } from 'vitest';
import { RunAgainError, type RunAgainOptions } from '../../../index';
import type { Trigger } from '../../../trigger';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';
import { finish } from '../../support/workers/workflows';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();
const DUE = '2026-03-01T01:00:00Z';

const create = (workflowType: string, policies: object = {}, args: unknown[] = []) =>
  ledger().client.create(
    someSchedule({
      action: { type: 'startWorkflow', workflowType, taskQueue: worker().taskQueue, args },
      policies: { overlap: 'SKIP', ...policies },
    }),
  );

async function startDue(trigger: Trigger, at = DUE): Promise<void> {
  ledger().clock.set(at);
  await trigger.passes.claim();
  await trigger.passes.verify();
  await trigger.passes.dispatch();
}

/** Let a workflow end, and the ledger record it. Returns its result, or what it failed with. */
async function end(trigger: Trigger, workflowId: string): Promise<unknown> {
  const result = await worker()
    .client.workflow.getHandle(workflowId)
    .result()
    .catch((error) => error);
  ledger().clock.advance(1_000);
  await trigger.passes.observe();
  return result;
}

/** What an ask again becomes, once a trigger has started it and it has ended. */
async function runAgain(trigger: Trigger, scheduleId: string, time = DUE, options: RunAgainOptions = {}) {
  ledger().clock.advance(60_000);
  const asked = await ledger().client.getHandle(scheduleId).runAgain(new Date(time), options);
  await startDue(trigger, new Date(ledger().clock.now() + 1_000).toISOString());
  return { asked, result: (await end(trigger, asked.workflowId!)) as { firing: Record<string, unknown> } };
}

const rowOf = (scheduleId: string) =>
  ledger().query(
    'select state, outcome, reason, kind, epoch, actor, again from escapement.firings where schedule_id = $1',
    [scheduleId],
  );

it('a skipped occurrence runs for its own time, and its firing and workflow say who asked, when and why', async () => {
  const { scheduleId } = await create('untilFinished');
  const trigger = await ledger().trigger();
  await startDue(trigger);
  await startDue(trigger, '2026-03-01T02:00:00Z');
  const [skipped, running] = await ledger().firings(scheduleId);
  expect(skipped).toMatchObject({ state: 'skipped', reason: 'overlap' });
  const handle = ledger().client.getHandle(scheduleId);
  await expect(handle.runAgain(new Date(DUE))).rejects.toMatchObject({ name: 'RunAgainError', problem: 'under_way' });

  const still = await handle.runAgain(skipped!.scheduledTime);
  expect(still).toMatchObject({ state: 'buffered', kind: 'backfill', again: { former: { reason: 'overlap' } } });
  await startDue(trigger, '2026-03-01T02:01:00Z');
  expect((await ledger().firings(scheduleId))[0]).toMatchObject({ state: 'skipped', again: { number: 1 } });

  await handle.update((previous) => ({ ...previous, action: { ...previous.action, workflowType: 'echoFiring' } }));
  await worker().client.workflow.getHandle(running!.workflowId!).signal(finish);
  await end(trigger, running!.workflowId!);
  const { asked, result } = await runAgain(trigger, scheduleId, '2026-03-01T02:00:00Z', { note: 'the audit needs it' });
  expect(asked.workflowId).toBe(`${scheduleId}-workflow-2026-03-01T02:00:00Z-restart-2`);
  expect(result.firing).toMatchObject({
    scheduledTime: '2026-03-01T02:00:00.000Z',
    kind: 'backfill',
    actor: 'test',
    again: { number: 2, actor: 'test', note: 'the audit needs it', former: { state: 'skipped', reason: 'overlap' } },
  });
  expect((await ledger().firings(scheduleId))[0]).toMatchObject({ state: 'closed', outcome: 'completed' });
  expect((await handle.explain('2026-03-01T02:00:00Z')).sentence).toContain(
    "test asked to run it again ('the audit needs it'); before, it was skipped, overlap",
  );
});

it('what Temporal’s own schedule did runs again in a new epoch, so that Temporal takes it', async () => {
  const { client: temporal, taskQueue } = worker();
  const scheduleId = uniqueName('both');
  const action = { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue } as const;
  const spec = { cronExpressions: ['0 * * * *'] };
  const native = await temporal.schedule.create({ scheduleId, spec, action, state: { paused: true } });
  const around = { start: new Date('2026-03-01T00:59:00Z'), end: new Date('2026-03-01T01:01:00Z') };
  await native.backfill({ ...around, overlap: 'ALLOW_ALL' });
  await vi.waitFor(() => temporal.workflow.getHandle(`${scheduleId}-workflow-${DUE}`).describe(), 60_000);
  await native.delete();
  const handle = await ledger().client.create(someSchedule({ scheduleId, action }));
  const trigger = await ledger().trigger();
  await startDue(trigger);
  await expect(handle.runAgain(new Date(DUE))).rejects.toMatchObject({ problem: 'needs_confirmation' });
  const { result } = await runAgain(trigger, scheduleId, DUE, { confirm: true });
  expect(result.firing).toMatchObject({ again: { former: { state: 'skipped', reason: 'native' } } });
  expect(await rowOf(scheduleId)).toMatchObject([{ state: 'closed', outcome: 'completed', epoch: 1 }]);
});

it('what was left to a shadowed scheduler runs again only if a person confirms it', async () => {
  const handle = await ledger().client.create(someSchedule());
  await ledger().claimAt('01:00:00');
  await ledger().query(`update escapement.firings set state = 'skipped', reason = 'shadow', closed_at = claimed_at`);
  await expect(handle.runAgain(new Date(DUE))).rejects.toMatchObject({ problem: 'needs_confirmation' });
  expect(await handle.runAgain(new Date(DUE), { confirm: true })).toMatchObject({ state: 'buffered' });
});

it('what failed runs again, and its letter is resolved when that completes', async () => {
  const { scheduleId } = await create('alwaysFails');
  const trigger = await ledger().trigger();
  await startDue(trigger);
  await end(trigger, `${scheduleId}-workflow-${DUE}`);
  const letter = async () => {
    for await (const one of ledger().client.deadLetters.list()) return one;
    return undefined;
  };
  expect(await letter()).toMatchObject({ state: 'open', reason: 'failed' });
  expect(ledger().log.lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'closed' }));
  await runAgain(trigger, scheduleId);
  expect(await letter()).toMatchObject({ state: 'open', epoch: 1 });
  await ledger()
    .client.getHandle(scheduleId)
    .update((previous) => ({ ...previous, action: { ...previous.action, workflowType: 'echoFiring' } }));
  await runAgain(trigger, scheduleId);
  expect(await rowOf(scheduleId)).toMatchObject([{ outcome: 'completed', epoch: 2, again: { number: 2 } }]);
  expect(await letter()).toMatchObject({ state: 'resolved' });
});

it('what completed runs again after a confirmation alone, and what was given up without one', async () => {
  const { scheduleId } = await create('echoFiring');
  const trigger = await ledger().trigger();
  await startDue(trigger);
  await end(trigger, `${scheduleId}-workflow-${DUE}`);
  const handle = ledger().client.getHandle(scheduleId);
  const refused = handle.runAgain(new Date(DUE));
  await expect(refused).rejects.toBeInstanceOf(RunAgainError);
  await expect(refused).rejects.toThrow(/has completed; confirm that it may run again/);
  const { result } = await runAgain(trigger, scheduleId, DUE, { confirm: true });
  expect(result.firing).toMatchObject({ again: { former: { outcome: 'completed' } } });

  await ledger().query(`update escapement.firings set state = 'abandoned', outcome = null, reason = 'start_rejected'`);
  await runAgain(trigger, scheduleId);
  expect(await rowOf(scheduleId)).toMatchObject([{ state: 'closed', epoch: 2, again: { number: 2 } }]);
});

it('what went by in a gap runs for its own time, on a paused schedule too', async () => {
  const { scheduleId } = await create('echoFiring', { catchupLimit: 0 });
  const trigger = await ledger().trigger();
  await startDue(trigger, '2026-03-01T03:30:00Z');
  const handle = ledger().client.getHandle(scheduleId);
  expect(await handle.explain(new Date(DUE))).toMatchObject({ answer: 'gap' });
  await handle.pause();
  const { result } = await runAgain(trigger, scheduleId, DUE, { note: 'missed' });
  expect(result.firing).toMatchObject({
    scheduledTime: '2026-03-01T01:00:00.000Z',
    again: { number: 1, note: 'missed' },
  });
  expect(await rowOf(scheduleId)).toMatchObject([{ state: 'closed', outcome: 'completed', epoch: 0, actor: 'test' }]);
});

it('what is no past occurrence is refused, and nothing is written', async () => {
  const { scheduleId } = await create('echoFiring');
  const handle = ledger().client.getHandle(scheduleId);
  await handle.exclude('2026-03-01T05:00:00Z');
  const before = await ledger().query('select xmin::text, * from escapement.firings');
  const refusals: [string, RunAgainOptions, unknown][] = [
    ['2026-03-01T01:30:00Z', {}, { problem: 'not_an_occurrence' }],
    ['2026-03-01T02:00:00Z', {}, { problem: 'not_yet' }],
    ['2026-03-01T05:00:00Z', {}, { problem: 'not_yet' }],
    [DUE, { overlap: 'SKIPP' as never }, { name: 'InvalidOptionError', path: 'overlap' }],
    [DUE, { confrim: true } as never, { name: 'InvalidOptionError', path: 'confrim' }],
    [DUE, { note: 7 as never }, { name: 'InvalidOptionError', path: 'note' }],
  ];
  for (const [time, options, error] of refusals) {
    await expect(handle.runAgain(time, options), time).rejects.toMatchObject(error as object);
  }
  expect(await ledger().query('select xmin::text, * from escapement.firings')).toEqual(before);
});

it('what a trigger has answered ahead of its time is refused until that has come: an exclusion, and what was ended early', async () => {
  const { scheduleId } = await create('echoFiring');
  const handle = ledger().client.getHandle(scheduleId);
  await handle.exclude('2026-03-01T05:00:00Z');
  // As after a burst that was handed over ahead, of which a person has terminated one.
  await ledger().query(
    `update escapement.timers set answered_to = '2026-03-01T06:00Z', next_fire_at = '2026-03-01T07:00Z'`,
  );
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, workflow_id, claimed_at, closed_at)
     values ($1, '2026-03-01T06:00Z', 'closed', 'terminated', 'schedule', 'default', 1, 'w', '2026-03-01T00:30Z', '2026-03-01T00:30Z')`,
    [scheduleId],
  );
  for (const time of ['2026-03-01T05:00:00Z', '2026-03-01T06:00:00Z']) {
    await expect(handle.runAgain(time), time).rejects.toMatchObject({ problem: 'not_yet' });
  }
  ledger().clock.set('2026-03-01T05:00:00Z');
  expect(await handle.runAgain('2026-03-01T05:00:00Z')).toMatchObject({ state: 'buffered' });
});

it('a trigger with arguments of its own gives them to that one firing, and to it alone', async () => {
  const { scheduleId } = await create('echoFiring', { overlap: 'ALLOW_ALL' }, ['emea']);
  const handle = ledger().client.getHandle(scheduleId);
  const trigger = await ledger().trigger();
  const asked = [
    await handle.trigger({ args: ['apac', { deep: [1] }] }),
    await handle.trigger(),
    await handle.trigger({ args: [] }),
  ];
  await startDue(trigger);
  const argsOf = async (workflowId: string) => ((await end(trigger, workflowId)) as { args: unknown[] }).args;
  expect(await Promise.all(asked.map(({ workflowId }) => argsOf(workflowId!)))).toEqual([
    ['apac', { deep: [1] }],
    ['emea'],
    [],
  ]);
  expect(await argsOf(`${scheduleId}-workflow-${DUE}`)).toEqual(['emea']);
  // Updates and lists go on as if it had no definition of its own.
  await handle.update((previous) => ({ ...previous, spec: { cron: '5 * * * *' } }));
  const versions: number[] = [];
  for await (const { version } of handle.versions()) versions.push(version);
  expect(versions).toEqual([2, 1]);
  await expect(handle.trigger({ args: 'apac' as never })).rejects.toMatchObject({ path: 'args' });
  await expect(handle.trigger({ args: [1n] })).rejects.toMatchObject({ path: 'args' });
});

it('a firing whose start was refused for an hour has another hour when it is run again', async () => {
  const { scheduleId } = await create('echo');
  const trigger = await ledger().trigger();
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  await ledger().query(
    `update escapement.firings set state = 'abandoned', reason = 'start_refused', refused_since = $1, closed_at = $1, check_at = null
      where schedule_id = $2`,
    [DUE, scheduleId],
  );
  ledger().clock.advance(3_600_000);
  await ledger().client.getHandle(scheduleId).runAgain(new Date(DUE));
  const [firing] = await ledger().query(
    'select state, refused_since as since from escapement.firings where schedule_id = $1',
    [scheduleId],
  );
  expect(firing).toEqual({ state: 'buffered', since: null });
});
