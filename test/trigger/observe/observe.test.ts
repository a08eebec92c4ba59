import { describe, expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { takeOpenChains } from '../../../store/firings/observe';
import { someSchedule, uniqueName } from '../../support/ledger';
import { useStarted } from './started';

const { ledger, worker, started } = useStarted();

describe('a running chain that gets nowhere', () => {
  it('is shown as stalled when no worker takes its task, and as well again once one does', async () => {
    const taskQueue = uniqueName('nobody');
    const { observe, execution, trigger } = await started(
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
    await trigger.passes.sayOver();
    expect(ledger().log.messages()).toContain('runs make progress again');
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
