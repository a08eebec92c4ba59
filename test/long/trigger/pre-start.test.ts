import { describe, expect, it } from 'vitest';
import { someSchedule } from '../../support/ledger';
import { SLOW, useAhead } from '../../trigger/claim/ahead';

const { ledger, worker, hourly, passesBefore, execution } = useAhead();

// Until its time has come by the server's clock.
describe('a firing that is handed over ahead of its time', () => {
  it('begins no earlier than its time by the clock of Temporal, where that is behind, than the clocks are apart', async () => {
    const APART = 1_000;
    const clock = { now: () => Date.now() + APART };
    ledger().clock.set(new Date(clock.now()).toISOString());
    const instant = (Math.floor(clock.now() / 1_000) + 8) * 1_000;
    const [hour, minute, second] = new Date(instant).toISOString().slice(11, 19).split(':').map(Number);
    const { scheduleId } = await ledger().client.create(
      someSchedule({
        spec: { calendars: [{ hour, minute, second }] },
        action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: worker().taskQueue },
      }),
    );
    const trigger = await ledger().trigger({ clock, limits: SLOW });
    await expect.poll(async () => (await trigger.passes.claim()).claimed).toHaveLength(1);
    await trigger.passes.dispatch();
    const workflowId = `${scheduleId}-workflow-${new Date(instant).toISOString().slice(0, 19)}Z`;
    const started = worker().client.workflow.getHandle(workflowId);
    await started.result();
    const events = (await started.fetchHistory()).events!;
    const task = events.find((event) => event.workflowTaskScheduledEventAttributes)!;
    const taskAt = Number(task.eventTime!.seconds) * 1_000 + task.eventTime!.nanos! / 1e6;
    expect(taskAt).toBeGreaterThanOrEqual(instant - APART);
  });

  it('has all of its execution timeout, and its soft one, from its time on', async () => {
    const action = { workflowExecutionTimeout: '20 seconds', workflowRunTimeout: '20 seconds', softTimeout: '1 hour' };
    const { handle, trigger } = await hourly({ preStart: '1 minute' }, action);
    // Longer ahead than that.
    await passesBefore(trigger, 21_000);
    await expect(execution(handle.scheduleId).result()).resolves.toMatchObject({ args: [] });
    const [row] = await ledger().query('select interrupt_at from escapement.firings');
    expect(row).toEqual({ interrupt_at: new Date('2026-03-01T02:00:00Z') });
  });
});
