import { describe, expect, it } from 'vitest';
import type { ScheduleHandle, ScheduleOptions } from '../../../index';
import { openStore, type Store } from '../../../store/connection';
import { lockDueTimers } from '../../../store/firings/claim';
import { giveUpFiring } from '../../../store/firings/give-up';
import { readTimers } from '../../../store/schedules/due';
import type { Trigger } from '../../../trigger';
import { announceAll, leaveUncalled } from '../../support/announced';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

/** A schedule whose firing of 01:00 was claimed, and waits for its start. */
async function waiting(
  options: Partial<ScheduleOptions> = {},
  workflowType = 'echoFiring',
): Promise<{ handle: ScheduleHandle; trigger: Trigger }> {
  const { taskQueue } = worker();
  const action = { type: 'startWorkflow' as const, workflowType, taskQueue };
  const handle = await ledger().client.create(someSchedule({ action, ...options }));
  const trigger = await ledger().trigger();
  await claimAt(trigger, '2026-03-01T01:00:00Z');
  return { handle, trigger };
}

async function claimAt(trigger: Trigger, instant: string): Promise<void> {
  ledger().clock.set(instant);
  await trigger.passes.claim();
}

const answers = ({ scheduleId }: ScheduleHandle) => ledger().answers(scheduleId);
const letters = () => ledger().query('select letter_id from escapement.dead_letters');

/** How many actions are left, and whether the schedule is completed. */
async function actions(handle: ScheduleHandle) {
  const { state } = await handle.describe();
  return { left: state.remainingActions, completed: state.completed ?? false };
}

describe('what waits for its start', () => {
  it('is skipped by a pause, without a dead letter', async () => {
    const { handle, trigger } = await waiting();
    await handle.pause('not today');
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule skipped paused']);
    expect(await trigger.passes.dispatch()).toMatchObject({ taken: 0 });
    expect(await letters()).toEqual([]);
  });

  it('is skipped by an update that pauses, and keeps its definition under any other', async () => {
    const { handle } = await waiting();
    await handle.update((previous) => ({ ...previous, spec: { cron: '30 * * * *' } }));
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule claimed']);
    await handle.update((previous) => ({ ...previous, state: { paused: true } }));
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule skipped paused']);
  });

  it('is skipped where the failure of another firing pauses the schedule', async () => {
    const policies = { pauseOnFailure: true, overlap: 'ALLOW_ALL' } as const;
    const { handle, trigger } = await waiting({ policies }, 'alwaysFails');
    await trigger.passes.dispatch();
    const first = `${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`;
    await expect(worker().client.workflow.getHandle(first).result()).rejects.toThrow();
    await claimAt(trigger, '2026-03-01T02:00:00Z');
    await trigger.passes.observe();
    expect(await answers(handle)).toEqual([
      '03-01T01:00:00 schedule closed failed',
      '03-01T02:00:00 schedule skipped paused',
    ]);
  });

  it('is skipped by a deletion, whoever asked for it', async () => {
    const { handle, trigger } = await waiting();
    ledger().clock.set('2026-03-01T01:00:30Z');
    await handle.trigger();
    await trigger.passes.claim();
    await handle.delete();
    expect(await answers(handle)).toEqual([
      '03-01T01:00:00 schedule skipped schedule_deleted',
      '03-01T01:00:30.001 manual skipped schedule_deleted',
    ]);
    expect(await trigger.passes.dispatch()).toMatchObject({ taken: 0 });
    expect(await letters()).toEqual([]);
  });

  it('is skipped where a deploy prunes its schedule', async () => {
    const apply = (schedules: ScheduleOptions[], revision: number) =>
      ledger().client.apply(schedules, { source: 'deploy', revision, prune: true });
    const [kept, pruned] = [someSchedule(), someSchedule()];
    await apply([kept, pruned], 1);
    await claimAt(await ledger().trigger(), '2026-03-01T01:00:00Z');
    await apply([kept], 2);
    expect(await ledger().answers(pruned.scheduleId)).toEqual(['03-01T01:00:00 schedule skipped schedule_deleted']);
    expect(await ledger().answers(kept.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
  });

  it('survives a pause where a person asked for it', async () => {
    const { handle, trigger } = await waiting({ policies: { overlap: 'ALLOW_ALL' } });
    ledger().clock.set('2026-03-01T01:00:30Z');
    await handle.trigger();
    await handle.backfill({ start: '2026-02-28T23:00:00Z', end: '2026-02-28T23:00:00Z', overlap: 'ALLOW_ALL' });
    await trigger.passes.claim();
    await handle.pause();
    expect(await answers(handle)).toEqual([
      '02-28T23:00:00 backfill claimed',
      '03-01T01:00:00 schedule skipped paused',
      '03-01T01:00:30.001 manual claimed',
    ]);
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 2 });
  });

  it('survives a pause and a deletion where a person redrove it', async () => {
    const { handle, trigger } = await waiting();
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
       select gen_random_uuid(), schedule_id, scheduled_time, epoch, 'start', 'redriving', 'start_refused', namespace, now(), now()
       from escapement.firings`,
    );
    await handle.pause();
    await handle.delete();
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule claimed']);
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  });

  it('survives where its time is still to come, since the schedule may go on by then', async () => {
    const { handle } = await waiting();
    await ledger().query(`update escapement.firings set starts_at = '2026-03-01T01:00:05Z'`);
    await handle.pause();
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule claimed']);
    ledger().clock.set('2026-03-01T01:00:05Z');
    await handle.pause();
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule skipped paused']);
  });
});

describe('a start that was announced', () => {
  it('is left alone by a pause and a deletion: it may be on its way', async () => {
    const { handle, trigger } = await waiting();
    await announceAll(ledger(), trigger);
    await handle.pause();
    await handle.delete();
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule claimed']);
  });

  it('and turns out not to have been called is skipped by the pause that came meanwhile', async () => {
    const { handle, trigger } = await waiting({ state: { remainingActions: 2 } });
    await leaveUncalled(ledger(), trigger);
    await handle.pause();
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule claimed']);
    await trigger.passes.reconcile();
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule skipped paused']);
    expect(await actions(handle)).toMatchObject({ left: 2 });
    expect(await letters()).toEqual([]);
  });

  it('and turns out not to have been called is skipped by a pause that is over by then, unless a person asked for it', async () => {
    const { handle, trigger } = await waiting({ policies: { overlap: 'ALLOW_ALL' } });
    ledger().clock.set('2026-03-01T01:00:30Z');
    await handle.trigger();
    await trigger.passes.claim();
    await leaveUncalled(ledger(), trigger);
    ledger().clock.advance(1_000);
    await handle.pause();
    await handle.unpause();
    await claimAt(trigger, '2026-03-01T02:00:00Z');
    await leaveUncalled(ledger(), trigger);
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 3, waiting: 2 });
    expect(await answers(handle)).toEqual([
      '03-01T01:00:00 schedule skipped paused',
      '03-01T01:00:30.001 manual claimed',
      '03-01T02:00:00 schedule claimed',
    ]);
  });

  it('and is skipped so leaves the letter of an earlier failure open: nothing has run since', async () => {
    const { handle, trigger } = await waiting();
    await leaveUncalled(ledger(), trigger);
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
       select gen_random_uuid(), schedule_id, scheduled_time, epoch, 'workflow', 'open', 'failed', namespace, now(), now()
       from escapement.firings`,
    );
    await handle.delete();
    await trigger.passes.reconcile();
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule skipped schedule_deleted']);
    expect(await ledger().query('select state from escapement.letters')).toEqual([{ state: 'open' }]);
  });

  it('gives nothing to the schedule that was made again under its name', async () => {
    const { handle, trigger } = await waiting({ state: { remainingActions: 2 } });
    await leaveUncalled(ledger(), trigger);
    await handle.delete();
    ledger().clock.advance(1_000);
    const again = await ledger().client.create(
      someSchedule({ scheduleId: handle.scheduleId, state: { remainingActions: 5 } }),
    );
    await trigger.passes.reconcile();
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule skipped schedule_deleted']);
    expect(await actions(again)).toMatchObject({ left: 5 });
  });
});

describe('the actions that were taken by what waited', () => {
  it('are given back, so that the last one is not lost to a pause', async () => {
    const { handle, trigger } = await waiting({ state: { remainingActions: 1 } });
    expect(await actions(handle)).toEqual({ left: 0, completed: true });
    await handle.pause();
    expect(await actions(handle)).toEqual({ left: 1, completed: false });
    await handle.unpause();
    await trigger.passes.claim();
    await claimAt(trigger, '2026-03-01T02:00:00Z');
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await answers(handle)).toEqual(['03-01T01:00:00 schedule skipped paused', '03-01T02:00:00 schedule linked']);
    expect(await actions(handle)).toEqual({ left: 0, completed: true });
  });

  it('are not given back for what a person asked for, which took none', async () => {
    const { handle, trigger } = await waiting({ state: { remainingActions: 3 } });
    ledger().clock.set('2026-03-01T01:00:30Z');
    await handle.trigger();
    await trigger.passes.claim();
    await handle.delete();
    const [timer] = await ledger().query('select remaining_actions from escapement.timers');
    expect(timer).toEqual({ remaining_actions: 3 });
  });

  it('are given back once by a recovery, however often it polls', async () => {
    const { handle, trigger } = await waiting({ state: { remainingActions: 2 } });
    await leaveUncalled(ledger(), trigger);
    await handle.pause();
    expect(await skipAsDecided(handle, trigger, 'paused')).toEqual({ letters: [] });
    expect(await skipAsDecided(handle, trigger, 'paused')).toBeUndefined();
    await trigger.passes.reconcile();
    await handle.pause();
    expect(await actions(handle)).toMatchObject({ left: 2 });
  });

  it('are not given back where Temporal’s own schedule has done what waited', async () => {
    const { handle, trigger } = await waiting({ state: { remainingActions: 2 } });
    await leaveUncalled(ledger(), trigger);
    expect(await skipAsDecided(handle, trigger, 'native')).toEqual({ letters: [] });
    expect(await actions(handle)).toMatchObject({ left: 1 });
  });

  it('wake a schedule that had none left, where it was unpaused before a recovery gave back its last', async () => {
    const { handle, trigger } = await waiting({ state: { remainingActions: 1 } });
    await leaveUncalled(ledger(), trigger);
    await handle.pause();
    // In this case a recovery decides that the pause ends the firing.
    await handle.unpause();
    await trigger.passes.claim();
    expect(await skipAsDecided(handle, trigger, 'paused')).toEqual({ letters: [] });
    await trigger.passes.claim();
    expect(await actions(handle)).toEqual({ left: 1, completed: false });
    await claimAt(trigger, '2026-03-01T02:00:00Z');
    expect(await answers(handle)).toEqual([
      '03-01T01:00:00 schedule skipped paused',
      '03-01T02:00:00 schedule claimed',
    ]);
  });

  it('make a claim pass plan again that has counted without them', async () => {
    const { handle, trigger } = await waiting({ state: { remainingActions: 2 } });
    await leaveUncalled(ledger(), trigger);
    await handle.pause();
    const store = openLedger();
    const planned = await readTimers(store, [handle.scheduleId]);
    await skipAsDecided(handle, trigger, 'paused');
    expect(await lockDueTimers(store, planned)).toEqual(new Set());
  });
});

/** Direct access to the ledger, without the passes. */
function openLedger(): Store {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  return store;
}

/** Skip the firing of 01:00, as a recovery does after this decision. */
async function skipAsDecided({ scheduleId }: ScheduleHandle, { id: owner }: Trigger, reason: string) {
  const key = { scheduleId, scheduledTime: new Date('2026-03-01T01:00:00Z'), epoch: 0 };
  const decidedOn = { owner, startAttemptedAt: null };
  return giveUpFiring(openLedger(), key, { state: 'skipped', reason }, new Date(ledger().clock.now()), decidedOn);
}
