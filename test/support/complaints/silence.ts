import { expect, vi } from 'vitest';
import { action, type Complaint, PATIENTLY, runsOf, untilRuns, whileOthersFire } from './scene';

/** A schedule whose timer is gone from the server's tables, as the complaint reports it. */
export const stopsSilently: Complaint = {
  issue: 'temporal#11869',
  async native(scene) {
    const { client, scheduleId } = scene;
    // Later than the time-outs of workflow tasks, whose timers are in the same table.
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 25_000);
    const spec = { calendars: [{ hour: '*', minute: '*', second: at.getUTCSeconds() }] } as object;
    const handle = await client.schedule.create({ scheduleId, spec, action: action('echoFiring') });
    await scene.loseTimer(at);
    await whileOthersFire(scene, 18);
    expect(Date.now()).toBeGreaterThan(at.getTime() + 5_000);
    const ran = (await runsOf(client, scheduleId)).length;
    const { info, state } = await handle.describe();
    expect(state.paused).toBe(false);
    if (ran > 0) return 'goes on';
    return info.nextActionTimes.length > 0 ? 'stops; its next times are still shown' : 'stops';
  },
  async ours({ client, scheduleId, query }) {
    await client.create({ scheduleId, spec: { intervals: [{ every: '1h' }] }, action: action('echoFiring') });
    await query(`update escapement.timers set wake_at = 'infinity', next_fire_at = null where schedule_id = $1`, [
      scheduleId,
    ]);
    const [alert] = await vi.waitFor(async () => {
      const alerts = await client.alerts.list();
      expect(alerts.map((one) => one.scheduleId)).toContain(scheduleId);
      return alerts.filter((one) => one.scheduleId === scheduleId);
    }, PATIENTLY);
    return `stops too, and the alert \`${alert!.condition}\` opens`;
  },
};

export const whichWereSkipped: Complaint = {
  issue: 'temporal#8087',
  async native({ client, scheduleId }) {
    const handle = await client.schedule.create({
      ...{ scheduleId, spec: { intervals: [{ every: '1s' }] }, action: action('naps', 4_000) },
    });
    const described = await vi.waitFor(async () => {
      const raw = await client.workflowService.describeSchedule({ namespace: client.options.namespace, scheduleId });
      expect(Number(raw.info!.overlapSkipped)).toBeGreaterThan(0);
      return raw;
    }, PATIENTLY);
    await handle.delete();
    // The answer has the times of the first run and of the next ones, but not the skipped times between them.
    const text = JSON.stringify(described.info);
    const [first] = described.info!.recentActions!;
    const skipped = Number(first!.scheduleTime!.seconds) + 1;
    return text.includes(String(skipped)) ? 'says which' : 'a count';
  },
  async ours({ client, scheduleId }) {
    const handle = await client.create({
      ...{ scheduleId, spec: { intervals: [{ every: '1s' }] }, action: action('naps', 4_000) },
    });
    const skipped = await vi.waitFor(async () => {
      const found = [];
      for await (const firing of handle.firings({ state: 'skipped' } as never)) found.push(firing);
      expect(found.length).toBeGreaterThan(0);
      return found;
    }, PATIENTLY);
    await handle.delete();
    return `a row for each: its time and \`${skipped[0]!.reason}\``;
  },
};

/** `CANCEL_OTHER` cannot reach a workflow that somebody has paused. */
export const cancelsAPausedOne: Complaint = {
  issue: 'temporal#10807',
  async native(scene) {
    const { client, scheduleId } = scene;
    await client.schedule.create({
      ...{ scheduleId, spec: { intervals: [{ every: '2s' }] }, action: action('untilFinished') },
      policies: { overlap: 'CANCEL_OTHER' },
    });
    await pauseFirst(scene);
    await whileOthersFire(scene, 4);
    const runs = await runsOf(client, scheduleId);
    return runs.length === 1 ? 'waits' : 'goes on';
  },
  async ours({ native, client, scheduleId }) {
    await client.create({
      ...{ scheduleId, spec: { intervals: [{ every: '2s' }] }, action: action('untilFinished') },
      policies: { overlap: 'CANCEL_OTHER' },
    });
    await pauseFirst({ client: native, scheduleId });
    const [alert] = await vi.waitFor(async () => {
      const alerts = (await client.alerts.list()).filter(
        (one) => one.scheduleId === scheduleId && one.condition === 'stalled',
      );
      expect(alerts.length).toBe(1);
      return alerts;
    }, PATIENTLY);
    expect(alert!.text).toMatch(/paused/);
    expect(await runsOf(native, scheduleId)).toHaveLength(1);
    // By default the wait ends after `cancelWait`: test/trigger/claim/ holds that.
    return `is skipped within ten minutes; the alert \`${alert!.condition}\` says why`;
  },
};

async function pauseFirst({ client, scheduleId }: { client: Parameters<typeof runsOf>[0]; scheduleId: string }) {
  const [first] = await untilRuns(client, scheduleId, 1);
  await client.workflowService.pauseWorkflowExecution({
    ...{ namespace: client.options.namespace, workflowId: first!.workflowId, requestId: `${scheduleId}-pause` },
    reason: 'a look at its state',
  });
}
