import { describe, expect, it } from 'vitest';
import { DatabaseClock } from '../../../trigger/clock';
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

  it('a schedule that was postponed fires, also if it could not be woken at first', async () => {
    const { scheduleId, trigger } = await claimed({ overlap: 'ALLOW_ALL' });
    ledger().clock.set('2026-03-01T02:00:00Z');
    await ledger().query(`update escapement.timers set wake_at = next_fire_at + interval '1 day';
      update escapement.firings set check_at = '2026-03-02T02:00:00Z';
      create function escapement.refuses() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
      create trigger refuses before update on escapement.timers for each row execute function escapement.refuses()`);
    await expect(trigger.passes.sweep()).rejects.toThrow('not now');
    await ledger().query('drop function escapement.refuses() cascade');
    await trigger.passes.sweep();
    await trigger.passes.claim();
    expect(await answers(scheduleId)).toHaveLength(2);
  });

  it('redrives are carried out, of more letters than one statement changes', async () => {
    const trigger = await ledger().trigger();
    await ledger().query(`insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason,
        namespace, redrive, created_at, updated_at)
      select gen_random_uuid(), 'a', timestamptz '2026-01-01Z' + n * interval '1 minute', 0, 'parked', 'redriving', 'step_failed',
        'default', '{"lookAt": "2026-03-02T00:30:00.000Z"}', '2026-03-01Z', '2026-03-01Z' from generate_series(1, 5001) n`);
    await trigger.passes.sweep();
    expect(await ledger().query(`select redrive, count(*)::int from escapement.dead_letters group by 1`)).toEqual([
      { redrive: { lookAt: '2026-03-01T00:30:00.000Z' }, count: 5_001 },
    ]);
  });

  it('no check is made due by a trigger whose own estimate of that clock is an hour behind', async () => {
    const { trigger } = await claimed();
    await trigger.passes.heartbeat();
    const clock = new DatabaseClock();
    const behind = await ledger().trigger({ clock });
    await ledger().query(`update escapement.firings set check_at = clock_timestamp() + interval '30 seconds';
      update escapement.triggers set heartbeat_at = clock_timestamp()`);
    const checks = () => ledger().query('select check_at, heartbeat_at from escapement.firings, escapement.triggers');
    const before = await checks();
    clock.synchronize(clock.mark(), new Date(Date.now() - 3_600_000));
    await behind.passes.sweep();
    expect(await checks()).toEqual(before);
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
