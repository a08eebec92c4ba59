import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { proxyOf } from '../support/connections/proxy';
import { Steps } from '../support/failures/parking';
import { uniqueName } from '../support/ledger';
import { sdkLog } from '../support/quiet-sdk';
import { useParkedOrders } from './parked-order';

const { ledger, parking, parkedOrder } = useParkedOrders();

const detailsOf = async (execution: WorkflowHandle) =>
  (await execution.query<{ currentDetails: string }, []>('__temporal_workflow_metadata')).currentDetails;

describe('a parked step', () => {
  it('is said at warn with its letter, each time that it is parked', async () => {
    const { execution, letter } = await parkedOrder();
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    const said = () =>
      sdkLog()
        .filter(({ meta }) => meta?.letterId === letter.letter_id)
        .map(({ level, message, meta }) => ({ level, message, ...meta }));
    await expect.poll(said).toHaveLength(2);
    const { letter_id: letterId, schedule_id: scheduleId, scheduled_time: at } = letter;
    const line = { level: 'WARN', message: 'parked', letterId, scheduleId, step: 'chargeCard' };
    expect(said()).toMatchObject([
      { ...line, scheduledTime: (at as Date).toISOString(), burial: 1 },
      { ...line, burial: 2 },
    ]);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });

  it('holds its workflow visibly until it is redriven, and goes on where it broke', async () => {
    const { steps, execution, letter } = await parkedOrder();
    expect(letter).toMatchObject({
      kind: 'parked',
      state: 'open',
      reason: 'step_failed',
      workflow_id: execution.workflowId,
      failed_step: {
        activityType: 'chargeCard',
        retryState: 'MAXIMUM_ATTEMPTS_REACHED',
        failure: { type: 'Error', message: 'chargeCard of A1 does not work' },
        burial: 1,
      },
    });
    expect((await execution.describe()).status.name).toBe('RUNNING');
    expect(await execution.query('escapementParked')).toMatchObject([{ activityType: 'chargeCard', burial: 1 }]);
    await vi.waitFor(async () => {
      expect(await detailsOf(execution)).toBe(
        `Parked at \`chargeCard\` (Error: chargeCard of A1 does not work). Redrive or discard dead letter ${letter.letter_id}.`,
      );
    }, 60_000);

    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(steps.calls).toEqual(['chargeCard', 'chargeCard', 'chargeCard', 'sendMail']);
    expect(await execution.query('escapementParked')).toEqual([]);
    expect(await detailsOf(execution)).toBe('before the order');
  });

  it('leaves the details that its workflow has set while it was parked', async () => {
    const { steps, execution } = await parkedOrder('showing');
    await vi.waitFor(async () => expect(await detailsOf(execution)).toContain('Parked at'), 60_000);
    await execution.signal('details', 'since the order');
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    await execution.result();
    expect(await detailsOf(execution)).toBe('since the order');
  });

  it('is parked again when it fails again, under its letter, and not by the decision of before', async () => {
    const { execution, letter } = await parkedOrder();
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    await vi.waitFor(async () => {
      const [again] = await parking.letters(1);
      expect(again).toMatchObject({ letter_id: letter.letter_id, failed_step: { burial: 2 } });
    }, 60_000);
    await parking.decide(execution, { decision: 'redrive', burial: 1 });
    expect(await execution.query('escapementParked')).toMatchObject([{ burial: 2 }]);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });

  it('fails with its own failure when it is discarded', async () => {
    const { execution } = await parkedOrder();
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toMatchObject({
      cause: { activityType: 'chargeCard', cause: { message: 'chargeCard of A1 does not work' } },
    });
  });

  it('can be cancelled', async () => {
    const { execution } = await parkedOrder();
    await execution.cancel();
    await expect(execution.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  });

  it('lets its siblings go on, and waits beside them', async () => {
    const { steps, execution } = await parkedOrder('both');
    await vi.waitFor(() => expect(steps.calls).toContain('sendMail'), 60_000);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(steps.calls.filter((name) => name === 'sendMail')).toHaveLength(1);
  });

  it('may be several at once, each with its letter, which one decision redrives', async () => {
    const { steps, execution } = await parking.fireBroken();
    await vi.waitFor(async () => {
      const letters = await parking.letters(2);
      expect(letters.map(({ failed_step }) => failed_step.activityType).sort()).toEqual(['chargeCard', 'sendMail']);
      expect(await detailsOf(execution)).toMatch(/Parked at [\s\S]*Parked at /);
    }, 60_000);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial: 2 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('is buried though Postgres is away when it fails', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(url.host);
    url.host = proxy.address;
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const plugins = [parking.plugin({ connectionString: url.href })];
    await parking.work({ taskQueue, activities: steps.activities, plugins });
    proxy.cut();
    const execution = await parking.fire('order', taskQueue);
    await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(1), 60_000);
    expect((await execution.describe()).status.name).toBe('RUNNING');
    proxy.restore();
    await parking.letters(1);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    await execution.result();
  });
});
