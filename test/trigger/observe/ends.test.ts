import { temporal } from '@temporalio/proto';
import { expect, it } from 'vitest';
import { someSchedule, uniqueName } from '../../support/ledger';
import { finish } from '../../support/workers/workflows';
import { asked, type List, type Start, useWatchedLists } from './watched';

const { ledger, worker, watchedTrigger, startMany, untilListed } = useWatchedLists();

it('what has completed is known from the list of what has ended, and no chain is asked for by itself', async () => {
  const { calls, observeUntil } = await startMany(30, 'echoFiring');
  await observeUntil('completed');
  expect(calls).toContain('listEnds');
  expect(asked(calls)).toBe(0);
});

it('an end whose record a failover lost is recorded from the list, though it was read before', async () => {
  const { trigger, calls, rows, observe, observeUntil } = await startMany(1, 'echoFiring');
  await observeUntil('completed');
  // Once more: by now nothing of the run is left to record.
  await observe();
  await ledger().query(`update escapement.firings set state = 'linked', outcome = null, closed_at = null,
    check_at = linked_at + interval '1 minute'`);
  await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
  await trigger.passes.heartbeat();
  while (!(await trigger.passes.adopt()).complete) ledger().clock.advance(2_000);
  expect(await observe()).toMatchObject({ listed: 1, polled: 0, closed: 1 });
  expect(await rows()).toMatchObject([{ state: 'closed', outcome: 'completed' }]);
  expect(asked(calls)).toBe(0);
});

it('a firing that is linked long after its start is polled at once: its end may be older than what is listed', async () => {
  const starts = async (start: Start) => {
    const started = await start();
    ledger().clock.advance(40_000);
    return started;
  };
  const { executions, observe, rows } = await startMany(1, 'echoFiring', { starts });
  for (const execution of await executions()) await execution.result();
  // The second pass lists the ends of the namespace.
  const passes = [await observe(), await observe()];
  expect(passes).toMatchObject([{ polled: 1, closed: 1 }, { listed: 1 }]);
  expect(await rows()).toMatchObject([{ state: 'closed', outcome: 'completed' }]);
});

it('a firing that completes within a minute is written four times: as claimed, announced, linked and closed', async () => {
  await ledger().query(`create table escapement.writes (state text)`);
  await ledger().query(`create function escapement.note_write() returns trigger language plpgsql as
    $$ begin insert into escapement.writes values (new.state); return null; end $$`);
  await ledger().query(`create trigger note_write after insert or update on escapement.firings
    for each row execute function escapement.note_write()`);
  const { client } = ledger();
  const { namespace, taskQueue } = worker();
  const action = { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue } as const;
  ledger().clock.set(new Date().toISOString());
  const state = { remainingActions: 1 };
  await client.create(someSchedule({ namespace, action, state, spec: { intervals: [{ every: '1 second' }] } }));
  const { trigger } = await watchedTrigger();
  await trigger.passes.claim();
  ledger().clock.advance(1_000);
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  for (let second = 0; second < 10; second++) {
    ledger().clock.advance(1_000);
    for (const pass of ['observe', 'reconcile', 'reset', 'interrupt', 'heartbeat'] as const)
      await trigger.passes[pass]();
  }
  const [{ workflow_id } = { workflow_id: '' }] = await ledger().query<{ workflow_id: string }>(
    'select workflow_id from escapement.firings',
  );
  const execution = worker().client.workflow.getHandle(workflow_id);
  await execution.signal(finish);
  await execution.result();
  await untilListed(`WorkflowId = '${workflow_id}' and CloseTime is not null`, 1);
  ledger().clock.advance(10_000);
  expect(await trigger.passes.observe()).toMatchObject({ closed: 1 });
  const writes = await ledger().query<{ state: string }>('select state from escapement.writes');
  expect(writes.map(({ state }) => state)).toEqual(['claimed', 'claimed', 'linked', 'closed']);
});

it('what runs is not written to before its first poll, a minute after its link', async () => {
  const { rows, observe, calls } = await startMany(3, 'untilFinished');
  const before = await rows();
  for (let second = 0; second < 60; second++) expect(await observe()).toMatchObject({ polled: 0 });
  expect(await rows()).toEqual(before);
  expect(before[0]).toMatchObject({ state: 'linked', check_in: 61 });
  expect(asked(calls)).toBe(0);
  await observe();
  expect(asked(calls)).toBe(3);
  expect((await rows()).map(({ check_in }) => check_in)).toEqual([122, 122, 122]);
});

it('what failed is asked for by itself once, since a list shows runs and not chains', async () => {
  const { calls, observeUntil } = await startMany(25, 'alwaysFails');
  await observeUntil('failed');
  expect(asked(calls)).toBe(25);
});

it('a chain of several runs ends with the last of them', async () => {
  const { calls, observeUntil } = await startMany(2, 'continues');
  await observeUntil('completed');
  expect(asked(calls)).toBe(2);
});

it('a chain that goes on as new without our memo is found to have ended by a poll', async () => {
  const { executions, observe, rows } = await startMany(1, 'continuesWithMemo');
  const [execution] = await executions();
  await untilListed(`WorkflowId = '${execution!.workflowId}' and CloseTime is not null`, 1);
  await execution!.signal(finish);
  await execution!.result();
  await untilListed(`WorkflowId = '${execution!.workflowId}' and CloseTime is not null`, 2);
  for (let second = 0; second < 60; second++) await observe();
  expect(await rows()).toMatchObject([{ state: 'linked' }]);
  await observe();
  expect(await rows()).toMatchObject([{ state: 'closed', outcome: 'completed' }]);
});

it.each<[string, object]>([
  ['time', { scheduledTime: 'at noon' }],
  ['schedule', { scheduleId: 'a\u0000b' }],
])('a run with our memo whose %s can be no firing’s holds up no other end', async (_, wrong) => {
  const { executions, observeUntil, rows } = await startMany(1, 'untilFinished');
  const [execution] = await executions();
  const { escapement } = (await execution!.describe()).memo as { escapement: object };
  const { client, taskQueue } = worker();
  const forged = await client.workflow.start('echoFiring', {
    ...{ workflowId: uniqueName('forged'), taskQueue, args: [1] },
    memo: { escapement: { ...escapement, ...wrong } },
    searchAttributes: { TemporalScheduledById: ['forged'] },
  });
  await forged.result();
  await execution!.signal(finish);
  await untilListed(`WorkflowId = '${forged.workflowId}' and CloseTime is not null`, 1);
  await observeUntil('completed');
  expect(await rows()).toMatchObject([{ state: 'closed', outcome: 'completed' }]);
});

it('a run that a reset has ended does not end its chain, and is asked for once', async () => {
  const { calls, executions, observe, rows } = await startMany(1, 'untilFinished');
  const [execution] = await executions();
  await expect.poll(async () => (await execution!.describe()).historyLength).toBeGreaterThanOrEqual(4);
  const { client, namespace } = worker();
  await client.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: execution!.workflowId },
    workflowTaskFinishEventId: 4 as never,
    requestId: uniqueName('reset'),
  });
  await untilListed(`WorkflowId = '${execution!.workflowId}' and CloseTime is not null`, 1);
  for (let second = 0; second < 15; second++) await observe();
  expect(asked(calls)).toBe(1);
  await execution!.signal(finish);
  // The ledger's clock is ahead of the server's by now, and does not go back.
  await expect
    .poll(async () => {
      await observe();
      return (await rows()).map(({ outcome }) => outcome);
    })
    .toEqual(['completed']);
});

it('an end that is listed late is recorded within ten seconds of that', async () => {
  let hidden: string | undefined;
  const lists = async (list: List) => {
    const listed = await list();
    const shown = listed?.runs.filter(({ workflowId }) => workflowId !== hidden) ?? [];
    // The other one ended five seconds later.
    return { ...listed!, runs: shown.map((run) => ({ ...run, closedAt: new Date(run.closedAt.getTime() + 5_000) })) };
  };
  const { calls, executions, observe, rows } = await startMany(2, 'untilFinished', { lists });
  const [late, other] = await executions();
  hidden = late!.workflowId;
  const states = async () => (await rows()).map(({ state }) => state);
  await observe();
  for (const execution of [late!, other!]) {
    await execution.signal(finish);
    await execution.result();
    await untilListed(`WorkflowId = '${execution.workflowId}' and CloseTime is not null`, 1);
  }
  for (let second = 0; second < 12; second++) await observe();
  expect(await states()).toEqual(['linked', 'closed']);
  hidden = undefined;
  for (let second = 0; second < 10; second++) await observe();
  expect(await states()).toEqual(['closed', 'closed']);
  expect(asked(calls)).toBe(0);
});

it('a chain that has completed, was reset and has ended again ends as its last run, though both are listed together', async () => {
  const { executions, observeUntil } = await startMany(5, 'untilFinished');
  const { client, namespace } = worker();
  const workflowIds: string[] = [];
  for (const execution of await executions()) {
    // The signal comes behind the end of the first task, to which it is reset.
    await expect.poll(async () => (await execution.describe()).historyLength).toBeGreaterThanOrEqual(4);
    await execution.signal(finish);
    await execution.result();
    const { workflowId } = execution;
    const reset = await client.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId },
      workflowTaskFinishEventId: 4 as never,
      requestId: uniqueName('reset'),
      resetReapplyExcludeTypes: [temporal.api.enums.v1.ResetReapplyExcludeType.RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL],
    });
    await client.workflow.getHandle(workflowId, reset.runId).terminate();
    workflowIds.push(`'${workflowId}'`);
  }
  await untilListed(`WorkflowId in (${workflowIds.join()}) and CloseTime is not null`, 10);
  await observeUntil('terminated');
});

it('what ended while no trigger was at work is listed by the next one', async () => {
  const { executions, observe, rows } = await startMany(3, 'untilFinished');
  await observe();
  await observe();
  for (const execution of await executions()) {
    await execution.signal(finish);
    await execution.result();
    await untilListed(`WorkflowId = '${execution.workflowId}' and CloseTime is not null`, 1);
  }
  const next = await watchedTrigger();
  ledger().clock.advance(57_000);
  expect(await next.trigger.passes.observe()).toMatchObject({ listed: 1, polled: 0, closed: 3 });
  expect(asked(next.calls)).toBe(0);
  expect((await rows()).map(({ state }) => state)).toEqual(['closed', 'closed', 'closed']);
});
