import type { Client } from '@temporalio/client';
import { describe, expect, inject, it, vi } from 'vitest';
import { runCli } from '../support/child';
import { runCommand } from '../support/command';
import { uniqueName, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });

/** What each nominal time of a schedule became, by Temporal's own list of runs alone. */
async function runsOf(client: Client, scheduleId: string): Promise<Map<number, string[]>> {
  const runs = new Map<number, string[]>();
  for await (const run of client.workflow.list({ query: `WorkflowId STARTS_WITH '${scheduleId}-workflow-'` })) {
    const nominal = Date.parse(run.workflowId.slice(-20));
    const side = run.memo && 'escapement' in run.memo ? 'ours' : 'native';
    runs.set(nominal, [...(runs.get(nominal) ?? []), side]);
  }
  return new Map([...runs].sort(([one], [other]) => one - other));
}

const environment = () => ({
  DATABASE_URL: ledger().databaseUrl,
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  TEMPORAL_NAMESPACE: worker().namespace,
});

async function withTrigger<Result>(work: () => Promise<Result>): Promise<Result> {
  const trigger = runCli(['run'], environment());
  try {
    await trigger.line(/trigger running/);
    return await work();
  } finally {
    trigger.kill('SIGTERM');
    await trigger.ended();
  }
}

async function nativeSchedule(options: object = {}): Promise<string> {
  const { client, taskQueue } = worker();
  const scheduleId = uniqueName('moved');
  await client.schedule.create({
    scheduleId,
    spec: { intervals: [{ every: '1s' }] },
    action: { type: 'startWorkflow', workflowType: 'naps', taskQueue, args: [0] },
    policies: { overlap: 'ALLOW_ALL' },
    ...options,
  });
  return scheduleId;
}

async function imported(scheduleId: string, shadow = false) {
  const client = ledger().newClient({ now: undefined as never, namespace: worker().namespace });
  const { client: from } = worker();
  await vi.waitFor(async () => {
    const { schedules } = await client.importSchedules({ from, shadow, query: `ScheduleId = '${scheduleId}'` });
    expect(schedules.map((one) => [one.scheduleId, one.reason])).toEqual([[scheduleId, undefined]]);
  }, 30_000);
  return client;
}

describe('a schedule that fires each second', () => {
  it('runs each nominal time once while it is cut over and rolled back: there before the instant, here from it on', {
    timeout: 120_000,
  }, async () => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule();
    const client = await imported(scheduleId, true);
    const waitFor = async (atLeast: number, side: string) =>
      vi.waitFor(async () => {
        const of = [...(await runsOf(from, scheduleId)).values()].flat().filter((one) => one === side);
        expect(of.length).toBeGreaterThanOrEqual(atLeast);
      }, 30_000);
    const { over, back } = await withTrigger(async () => {
      await waitFor(3, 'native');
      const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000);
      const over = await client.cutOver({ from, scheduleIds: [scheduleId], at });
      expect(over.schedules).toMatchObject([{ status: 'moved', from: expect.any(Date) }]);
      expect(over.schedules[0]!.from!.getTime()).toBeGreaterThanOrEqual(at.getTime());
      const { state } = await from.schedule.getHandle(scheduleId).describe();
      expect(state).toMatchObject({ paused: true, note: expect.stringContaining('Escapement') });
      await waitFor(4, 'ours');
      expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
        { status: 'unchanged' },
      ]);
      const natives = [...(await runsOf(from, scheduleId)).values()].flat().filter((one) => one === 'native').length;
      const back = await client.rollBack({ from, all: true });
      expect(back.schedules).toMatchObject([{ status: 'moved' }]);
      await waitFor(natives + 3, 'native');
      await from.schedule.getHandle(scheduleId).pause('the test is over');
      await expect
        .poll(() => ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`))
        .toEqual([]);
      return { over, back };
    });
    expect((await client.getHandle(scheduleId).describe()).state.paused).toBe(true);
    const runs = await runsOf(from, scheduleId);
    const nominals = [...runs.keys()];
    expect([...runs.values()].every((sides) => sides.length === 1)).toBe(true);
    expect(nominals).toEqual(nominals.map((_, index) => nominals[0]! + index * 1_000));
    const cut = over.schedules[0]!.from!.getTime();
    for (const [nominal, [side]] of runs) {
      if (nominal < cut) expect(side).toBe('native');
      else if (nominal < back.schedules[0]!.from!.getTime()) expect(side).toBe('ours');
    }
  });

  it('names what waits in the native schedule, and runs it here for its own time where that is asked for', {
    timeout: 120_000,
  }, async () => {
    const { client: from, taskQueue } = worker();
    const action = { type: 'startWorkflow', workflowType: 'naps', taskQueue, args: [1_500] };
    const scheduleId = await nativeSchedule({ action, policies: { overlap: 'BUFFER_ALL' } });
    const client = await imported(scheduleId);
    await vi.waitFor(async () => {
      const { raw } = await from.schedule.getHandle(scheduleId).describe();
      expect(Number(raw.info?.bufferSize)).toBeGreaterThanOrEqual(2);
    }, 60_000);
    const moved = await client.cutOver({ from, scheduleIds: [scheduleId] });
    const { buffered, running, from: first } = moved.schedules[0]!;
    expect(buffered.length).toBeGreaterThanOrEqual(2);
    expect(running).toHaveLength(1);
    expect(buffered.at(-1)!.getTime()).toBeLessThan(first!.getTime());
    const linked = await ledger().query(`select workflow_id as id from escapement.firings where state = 'linked'`);
    expect(linked).toEqual(running.map((id) => ({ id })));
    const taken = await runCommand(['cut-over', scheduleId, '--take-buffer', '--json'], environment());
    expect(JSON.parse(taken.stdout)).toMatchObject({ status: 'unchanged', buffered: [] });
    await client.getHandle(scheduleId).pause();
    await withTrigger(() =>
      expect
        .poll(() => ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`), {
          timeout: 60_000,
        })
        .toEqual([]),
    );
    const runs = await vi.waitFor(async () => {
      const listed = await runsOf(from, scheduleId);
      for (const time of buffered) expect(listed.get(time.getTime())).toEqual(['ours']);
      return listed;
    }, 30_000);
    const nominals = [...runs.keys()].filter((nominal) => nominal < first!.getTime());
    expect(nominals).toEqual(nominals.map((_, index) => nominals[0]! + index * 1_000));
  });
});

it('stays paused on both sides where a person had paused it, and what was not imported is refused with 1', {
  timeout: 60_000,
}, async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ state: { paused: true, note: 'by a person' } });
  const client = await imported(scheduleId);
  const { code, stdout } = await runCommand(['cut-over', scheduleId, 'nobody', '--json'], environment());
  expect(code).toBe(1);
  const rows = stdout.split('\n').map((line) => JSON.parse(line));
  expect(rows.find((row) => row.scheduleId === scheduleId)).toMatchObject({ status: 'moved', paused: true });
  expect(rows.find((row) => row.scheduleId === 'nobody')).toMatchObject({ status: 'refused' });
  expect((await client.getHandle(scheduleId).describe()).state).toMatchObject({ paused: true, note: 'by a person' });
  expect((await client.rollBack({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ paused: true }]);
  const { state } = await from.schedule.getHandle(scheduleId).describe();
  expect(state).toMatchObject({ paused: true, note: 'by a person' });
});
