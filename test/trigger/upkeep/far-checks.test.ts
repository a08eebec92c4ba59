import { describe, expect, it } from 'vitest';
import { announceAll } from '../../support/announced';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();
const DUE = '2026-03-01T01:00:00Z';

async function claimed(policies = {}) {
  const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
  const { scheduleId } = await ledger().client.create(someSchedule({ action, policies }));
  const trigger = await ledger().trigger();
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  return { scheduleId, trigger };
}

const answers = (scheduleId: string) => ledger().answers(scheduleId);

describe('once the clock of Postgres, which was a day ahead, is set right', () => {
  it('a start is recovered whose trigger died while it was ahead', async () => {
    const { scheduleId, trigger: dead } = await claimed();
    await announceAll(ledger(), dead);
    await dead.passes.heartbeat();
    await ledger().query(`update escapement.firings set check_at = check_at + interval '1 day';
      update escapement.triggers set heartbeat_at = heartbeat_at + interval '1 day'`);
    const trigger = await ledger().trigger();
    ledger().clock.advance(31_000);
    await trigger.passes.sweep();
    ledger().clock.advance(31_000);
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, deadTriggers: [dead.id] });
    expect(await answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('a running chain is polled', async () => {
    const { scheduleId, trigger } = await claimed();
    await trigger.passes.dispatch();
    await worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`).result();
    await ledger().query(`update escapement.firings set check_at = check_at + interval '1 day'`);
    ledger().clock.advance(1_000);
    expect(await trigger.passes.observe()).toMatchObject({ polled: 0 });
    await trigger.passes.sweep();
    expect(await trigger.passes.observe()).toMatchObject({ polled: 1, closed: 1 });
  });

  it('a schedule that was postponed fires', async () => {
    const { scheduleId, trigger } = await claimed({ overlap: 'ALLOW_ALL' });
    ledger().clock.set('2026-03-01T02:00:00Z');
    await trigger.passes.heartbeat();
    await ledger().query(`update escapement.timers set wake_at = next_fire_at + interval '1 day';
      update escapement.triggers set heartbeat_at = heartbeat_at + interval '1 day'`);
    await trigger.passes.sweep();
    await trigger.passes.claim();
    expect(await answers(scheduleId)).toHaveLength(2);
  });

  it('no check is made due earlier that its program could have set', async () => {
    const { trigger } = await claimed();
    await trigger.passes.dispatch();
    const checks = () =>
      ledger().query(
        `select check_at, wake_at, heartbeat_at from escapement.firings, escapement.timers, escapement.triggers`,
      );
    await trigger.passes.heartbeat();
    // As a jitter of many hours lets the timer wait.
    await ledger().query(`update escapement.firings set check_at = '2026-03-01T01:10:00Z';
      update escapement.timers set next_fire_at = '2026-03-01T00:59:00Z', wake_at = '2026-03-01T09:00:00Z'`);
    const before = await checks();
    await trigger.passes.sweep();
    expect(await checks()).toEqual(before);
  });
});
