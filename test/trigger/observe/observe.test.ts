import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { openStore } from '../../../store/connection';
import { takeOpenChains } from '../../../store/firings/observe';
import type { TunedTriggerOptions } from '../../../trigger/options';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';
import { finish } from '../../support/workers/workflows';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

/** A schedule whose firing of 01:00 has been started. */
async function started(
  workflowType: string,
  changed: Partial<ScheduleOptions> = {},
  options: Partial<TunedTriggerOptions> = {},
) {
  const { taskQueue, client: temporal } = worker();
  const handle = await ledger().client.create(
    someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue }, ...changed }),
  );
  const trigger = await ledger().trigger(options);
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const execution = temporal.workflow.getHandle(`${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`);
  const firing = async () => (await ledger().firings(handle.scheduleId)).at(-1)!;
  const observe = async () => {
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    return firing();
  };
  return { handle, trigger, execution, firing, observe };
}

describe('a running chain that gets nowhere', () => {
  it('is shown as stalled when no worker takes its task, and as well again once one does', async () => {
    const taskQueue = uniqueName('nobody');
    const { observe, execution } = await started(
      'untilFinished',
      { action: { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue } },
      { stalledAfter: 1 },
    );
    await expect.poll(async () => (await observe()).stalled).toBe('no_worker');
    const route = { namespace: 'default', taskQueue };
    expect(ledger().log.lines).toContainEqual(
      expect.objectContaining({ message: 'stalled', meta: expect.objectContaining({ ...route, reason: 'no_worker' }) }),
    );
    expect(ledger().log.lines).toContainEqual({
      level: 'warn',
      message: 'runs make no progress',
      meta: expect.objectContaining({ ...route, error: 'no worker takes a workflow task' }),
    });
    await execution.terminate();
    expect(await observe()).toMatchObject({ state: 'closed', outcome: 'terminated', stalled: null });
    expect(ledger().log.messages()).toContain('runs make progress again');
  });

  it('is shown as stalled when its task fails again and again', async () => {
    const { observe, execution } = await started('noSuchWorkflow');
    await expect.poll(async () => (await observe()).stalled, { timeout: 60_000 }).toBe('task_failing');
    await execution.terminate();
  });

  it('is shown as paused when somebody has paused its workflow, holds its schedule, and is as well again afterwards', async () => {
    const { observe, execution, handle, trigger } = await started('untilFinished');
    const { workflowService } = worker().client;
    const { serverVersion } = await workflowService.getSystemInfo({});
    const request = { namespace: 'default', workflowId: execution.workflowId, requestId: uniqueName('pause') };
    const pausing = workflowService.pauseWorkflowExecution({ ...request, reason: 'a look at its state' });
    // The oldest server that is supported does not know of it.
    if (serverVersion?.startsWith('1.29.')) return expect(pausing).rejects.toThrow();
    await pausing;
    expect((await observe()).stalled).toBe('paused');
    ledger().clock.set('2026-03-01T02:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.verify();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule skipped overlap',
    ]);
    expect((await handle.explain(new Date('2026-03-01T01:00:00Z'))).sentence).toMatch(
      /somebody has paused its workflow/,
    );
    await workflowService.unpauseWorkflowExecution({ ...request, requestId: uniqueName('unpause') });
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    const running = (await ledger().firings(handle.scheduleId)).find(({ state }) => state === 'linked');
    expect(running).toMatchObject({ stalled: null });
    await execution.terminate();
  });

  it('is not stalled while its worker is just slow', async () => {
    const { observe } = await started('untilFinished');
    expect((await observe()).stalled).toBeNull();
  });
});

describe('an open chain', () => {
  it('is polled each second while others wait for it, and seldom otherwise', async () => {
    const { trigger, handle } = await started('untilFinished', { policies: { overlap: 'BUFFER_ALL' } });
    const nextPoll = async () => {
      const [row] = await ledger().query<{ check_at: Date }>(
        `select check_at from escapement.firings where schedule_id = $1 and state = 'linked'`,
        [handle.scheduleId],
      );
      return row!.check_at.getTime() - ledger().clock.now();
    };
    ledger().clock.set('2026-03-01T01:59:00Z');
    await trigger.passes.observe();
    expect(await nextPoll()).toBe(30_000);
    ledger().clock.set('2026-03-01T02:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.observe();
    expect(await nextPoll()).toBe(1_000);
  });

  describe('that others wait for', () => {
    const NOW = new Date('2026-03-01T02:00:00Z');

    /** This chain, and others whose polls are overdue: the first by a minute and a half, each other 60 ms less. */
    async function amongOverdue(count: number) {
      const { trigger, handle } = await started('untilFinished', { policies: { overlap: 'BUFFER_ALL' } });
      ledger().clock.set('2026-03-01T01:59:50Z');
      await trigger.passes.observe();
      const { scheduleId: other } = await ledger().client.create(someSchedule());
      await ledger().query(
        `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id,
           run_id, check_at, claimed_at, linked_at)
         select $1, '2026-03-01T01:10Z'::timestamptz + k * interval '1 second', 'linked', 'backfill', 'default', 1, 'w' || k, 'r' || k,
           '2026-03-01T01:58:30Z'::timestamptz + k * interval '60 milliseconds', '2026-03-01T01:10Z', '2026-03-01T01:10Z'
         from generate_series(1, $2::int) k`,
        [other, count],
      );
      ledger().clock.set(NOW.toISOString());
      await trigger.passes.claim();
      const store = openStore({ connectionString: ledger().databaseUrl });
      ledger().beforeClose(() => store.close());
      const pause = { shortest: 1_000, longest: 30_000, shareOfAge: 0.03 };
      const pauses = { awaitedPause: 1_000, stalledPause: 30_000, pause, unlisted: [], unlistedPause: pause };
      return async (limit: number) => {
        const taken = await takeOpenChains(store, { now: NOW, ...pauses }, limit);
        return taken.map(({ scheduleId }) => scheduleId === handle.scheduleId);
      };
    }

    it('is polled before all that was due earlier', async () => {
      const take = await amongOverdue(10);
      expect(await take(1)).toEqual([true]);
    });

    it('is soon polled again while many others are overdue', async () => {
      const take = await amongOverdue(500);
      const pages: number[] = [];
      for (let page = 0; page < 5; page++) pages.push((await take(100)).filter(Boolean).length);
      expect(pages).toEqual([1, 0, 1, 0, 1]);
    });
  });
});

describe('a chain that a person resets after its end', () => {
  async function resetTo(execution: { workflowId: string }, workflowTaskFinishEventId: number) {
    const { client } = worker();
    const { runId } = await client.workflow.getHandle(execution.workflowId).describe();
    await client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: execution.workflowId, runId },
      workflowTaskFinishEventId: workflowTaskFinishEventId as never,
      requestId: randomUUID(),
      reason: 'mended',
    });
  }

  /** Only from a workflow task that has ended can a chain be reset. */
  const firstTaskDone = (execution: { describe(): Promise<{ historyLength: number }> }) =>
    expect.poll(async () => (await execution.describe()).historyLength).toBeGreaterThanOrEqual(4);

  it('opens its firing again, which closes as the chain really ends', async () => {
    const { execution, observe, trigger, firing } = await started('untilFinished');
    await firstTaskDone(execution);
    await execution.terminate();
    const closed = await observe();
    expect(closed).toMatchObject({ state: 'closed', outcome: 'terminated' });
    await resetTo(execution, 4);
    ledger().clock.advance(60_000);
    expect(await trigger.passes.reset()).toMatchObject({ polled: 1, reopened: 1 });
    expect(await firing()).toMatchObject({ state: 'linked', outcome: null, closedAt: null, runId: closed.runId });
    await execution.signal(finish);
    await execution.result();
    expect(await observe()).toMatchObject({ state: 'closed', outcome: 'completed', runId: closed.runId });
  });

  it('and that has ended again before anybody polled closes with its last outcome', async () => {
    const { execution, observe, trigger, firing } = await started('untilFinished');
    await firstTaskDone(execution);
    await execution.terminate();
    await observe();
    await resetTo(execution, 4);
    await execution.cancel();
    await execution.result().catch(() => {});
    ledger().clock.advance(60_000);
    await trigger.passes.reset();
    expect(await firing()).toMatchObject({ state: 'closed', outcome: 'canceled' });
  });

  it('opens its firing again beside one whose schedule somebody keeps locked, and that one as soon as it is free', async () => {
    const kept = await started('untilFinished');
    ledger().clock.set('2026-03-01T00:30:00Z');
    const free = await started('untilFinished');
    for (const { execution } of [kept, free]) {
      await firstTaskDone(execution);
      await execution.terminate();
    }
    ledger().clock.advance(60_000);
    expect(await free.trigger.passes.observe()).toMatchObject({ closed: 2 });
    for (const { execution } of [kept, free]) await resetTo(execution, 4);
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from escapement.timers where schedule_id = $1 for update', [kept.handle.scheduleId]);
    // So long ago that it is polled once an hour.
    await ledger().query('update escapement.firings set closed_at = $1', ['2026-03-01T01:00:00Z']);
    ledger().clock.advance(86_400_000);
    expect(await free.trigger.passes.reset()).toMatchObject({ polled: 2, reopened: 1 });
    expect(await free.firing()).toMatchObject({ state: 'linked' });
    expect(await kept.firing()).toMatchObject({ state: 'closed' });

    await holder.query('rollback');
    await holder.end();
    ledger().clock.advance(60_000);
    expect(await free.trigger.passes.reset()).toMatchObject({ polled: 1, reopened: 1 });
    expect(await kept.firing()).toMatchObject({ state: 'linked' });
  });

  it('is watched less and less often, and for a week', async () => {
    const { execution, observe, trigger } = await started('untilFinished');
    await execution.terminate();
    await observe();
    // Temporal's clock, by which the chain ended, is not the ledger's here.
    const endedAt = ledger().clock.now();
    await ledger().query(`update escapement.firings set closed_at = $1, workflow_id = 'forgotten'`, [
      new Date(endedAt),
    ]);
    const polls: number[] = [];
    for (let pass = 1; pass <= 8 * 24 * 2; pass++) {
      ledger().clock.advance(30 * 60_000);
      if ((await trigger.passes.reset()).polled > 0) polls.push((ledger().clock.now() - endedAt) / 3_600_000);
    }
    expect(polls.slice(0, 4)).toEqual([0.5, 1, 2, 3]);
    expect(polls.at(-1)).toBe(7 * 24);
  });
});

it('a chain that Temporal was told to forget closes as unknown', async () => {
  const { execution, observe } = await started('untilFinished');
  await worker().client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: execution.workflowId },
  });
  // A running workflow is terminated before it is deleted, and a poll in between would see that.
  const known = () =>
    execution.describe().then(
      () => 'known',
      (error: Error) => error.name,
    );
  await expect.poll(known).toBe('WorkflowNotFoundError');
  expect((await observe()).outcome).toBe('unknown');
});

it('an end that cannot be recorded holds up no other: it is logged, and polled again', async () => {
  const { client, clock, log } = ledger();
  const { taskQueue } = worker();
  const create = (workflowType: string) =>
    client.create(someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue } }));
  const failing = await create('alwaysFails');
  const others = [await create('echoFiring'), await create('echoFiring'), await create('alwaysFails')];
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  await ledger().query(
    `alter table escapement.dead_letters add constraint as_if check (schedule_id <> '${failing.scheduleId}')`,
  );
  const stateOf = async ({ scheduleId }: { scheduleId: string }) => (await ledger().firings(scheduleId)).at(-1)!.state;
  const observed = async () => {
    clock.advance(60_000);
    await trigger.passes.observe();
    return Promise.all(others.map(stateOf));
  };
  await expect.poll(observed).toEqual(['closed', 'closed', 'closed']);
  const isSaid = () =>
    log.lines.some(
      ({ message, meta }) =>
        /^the record of an end of a schedule failed/.test(message) && meta.scheduleId === failing.scheduleId,
    );
  await expect.poll(async () => (await observed()) && isSaid()).toBe(true);
  expect(await stateOf(failing)).toBe('linked');

  await ledger().query('alter table escapement.dead_letters drop constraint as_if');
  await expect.poll(async () => (await observed()) && stateOf(failing)).toBe('closed');
});
