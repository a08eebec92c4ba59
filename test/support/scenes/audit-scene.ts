import type { Client } from '@temporalio/client';
import { expect, vi } from 'vitest';
import { runCommand } from '../processes/command';

const WAIT = { timeout: 60_000, interval: 50 };

/**
 * Native schedules that run, buffer, skip and are paused for a while. The output of the command is compared with
 * Temporal's data.
 */
export async function auditScene(client: Client, address: string, namespace: string, taskQueue: string) {
  const create = (scheduleId: string, workflowType: string, args: unknown[], more: object = {}) =>
    client.schedule.create({
      ...{ scheduleId, spec: { intervals: [{ every: '1s' }] } },
      action: { type: 'startWorkflow', workflowType, taskQueue, args } as never,
      ...more,
    });
  const steady = await create('steady', 'echoFiring', []);
  const paused = await create("pau'sed", 'echoFiring', []);
  const jittered = await create('jittered', 'echoFiring', [], { spec: { intervals: [{ every: '2s' }], jitter: '1s' } });
  const skips = await create('skips', 'naps', [2_300]);
  const waits = await create('waits', 'naps', [1_400], { policies: { overlap: 'BUFFER_ALL' } });
  const all = [steady, paused, jittered, skips, waits];
  const actions = async (handle: typeof steady) => (await handle.describe()).info.numActionsTaken;
  const lastOf = async (handle: typeof steady) =>
    (await handle.describe()).info.recentActions.at(-1)?.scheduledAt.getTime() ?? 0;

  // A native schedule may miss the time at which it is created.
  for (const handle of [steady, paused, jittered])
    await vi.waitFor(async () => expect(await lastOf(handle)).toBeGreaterThan(0), WAIT);
  const from = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  await vi.waitFor(async () => expect(await lastOf(paused)).toBeGreaterThan(from.getTime()), WAIT);
  // A schedule handles its times in order, so it has missed none up to this one.
  const ranAt = await lastOf(paused);
  await paused.pause();
  await vi.waitFor(async () => expect((await paused.describe()).state.paused).toBe(true), WAIT);
  const before = await actions(steady);
  await vi.waitFor(async () => expect(await actions(steady)).toBeGreaterThanOrEqual(before + 4), WAIT);
  await paused.unpause();
  const taken = await actions(paused);
  await vi.waitFor(async () => expect(await actions(paused)).toBeGreaterThanOrEqual(taken + 2), WAIT);
  // The server applies the unpause at some later time, so only its next actions show it.
  const runsAgainAt = Date.now();
  const to = new Date();
  // The server handles a time a moment after it is due, so wait until all times up to `to` are handled.
  for (const handle of [steady, paused, jittered]) {
    await vi.waitFor(async () => expect(await lastOf(handle)).toBeGreaterThan(to.getTime()), WAIT);
  }
  for (const handle of all) await handle.pause();
  // The pause takes effect a moment later, and visibility lists the runs a moment later.
  for (const handle of all) {
    await vi.waitFor(async () => {
      const { state, info } = await handle.describe();
      expect([state.paused, (await startedTimes(client, handle.scheduleId)).size]).toEqual([
        true,
        info.numActionsTaken,
      ]);
    }, WAIT);
  }

  const said = await runCommand(
    ['audit', '--native', '--from', from.toISOString(), '--to', to.toISOString(), '--late-after', '700ms', '--json'],
    { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace },
  );
  const rows = said.stdout.split('\n').map((line) => JSON.parse(line));
  const times = rows.filter(({ row }) => row === 'time');
  return { said, rows, times, ranAt, runsAgainAt, from, to };
}

/** The times that a schedule started, read only from the ends of workflow IDs. */
export async function startedTimes(client: Client, scheduleId: string): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const { workflowId } of client.workflow.list({
    query: `WorkflowId STARTS_WITH "${scheduleId}-workflow-"`,
  })) {
    found.add(new Date(workflowId.slice(`${scheduleId}-workflow-`.length)).toISOString());
  }
  return found;
}

/** Check the result, which is the same on either scheduler. */
export async function expectAudited(client: Client, scene: Awaited<ReturnType<typeof auditScene>>): Promise<void> {
  const { said, rows, times, ranAt, runsAgainAt } = scene;
  expect(said.stderr).toBe('');
  expect(said.code).toBe(1);
  const of = (scheduleId: string) => times.filter((time) => time.scheduleId === scheduleId);
  for (const scheduleId of ['steady', "pau'sed", 'jittered', 'skips', 'waits']) {
    const started = await startedTimes(client, scheduleId);
    for (const { scheduledTime, class: became, startedAt } of of(scheduleId)) {
      const ran = ['on_time', 'late', 'delayed'].includes(became);
      expect([scheduleId, scheduledTime, ran, startedAt !== undefined]).toEqual([
        ...[scheduleId, scheduledTime, started.has(scheduledTime), started.has(scheduledTime)],
      ]);
    }
  }
  const missed = of("pau'sed").filter((time) => time.class === 'missed');
  expect(missed.length).toBeGreaterThanOrEqual(2);
  for (const { dueAt } of missed) {
    expect(Date.parse(dueAt)).toBeGreaterThan(ranAt);
    expect(Date.parse(dueAt)).toBeLessThanOrEqual(runsAgainAt);
  }
  expect(of('steady').filter((time) => time.class === 'missed')).toEqual([]);
  expect(of('skips').some((time) => time.class === 'skipped')).toBe(true);
  expect(of('waits').some((time) => time.class === 'delayed')).toBe(true);
  const jittered = of('jittered');
  expect(jittered.some(({ dueAt, scheduledTime }) => dueAt !== scheduledTime)).toBe(true);
  for (const { lag } of jittered) expect(lag ?? 0).toBeGreaterThanOrEqual(0);
  expect(rows.filter(({ row }) => row === 'schedule').map(({ server }) => server)).toEqual(Array(5).fill('same'));
  const total = rows.at(-1);
  expect(total).toMatchObject({ row: 'total', schedules: 5, problems: 0, due: times.length });
  expect(total.counts.missed).toBe(times.filter((time) => time.class === 'missed').length);
}
