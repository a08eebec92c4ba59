import { describe, expect, it } from 'vitest';
import type { FiringOutcome } from '../../../core/firing';
import type { FailedStep } from '../../../core/letters/failed-step';
import type { BuryRequest } from '../../../core/letters/park';
import { openStore, type Store } from '../../../store/connection';
import { closeFirings } from '../../../store/firings/close';
import { ensurePartitions } from '../../../store/firings/partitions';
import { recordDecision } from '../../../store/letters/carry-out-redrive';
import { buryStep, mayHaveLostFiring } from '../../../store/letters/park-step';
import { announceDecision, takeRedrives } from '../../../store/letters/redrive';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const failure = { type: 'CardDeclined', message: 'no money' };

/** A firing whose chain runs, and the ledger's store. */
async function running() {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const { scheduledTime } = await ledger().client.getHandle(scheduleId).trigger();
  await ledger().query(
    `update escapement.firings set state = 'linked', run_id = 'run', workflow_id = 'workflow' where schedule_id = $1`,
    [scheduleId],
  );
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const [meta] = await ledger().query<{ value: string }>(
    `select value from escapement.meta where key = 'installation'`,
  );
  const bury = (burial: number, options: Partial<BuryRequest['step']> & { runId?: string; letterId?: string } = {}) => {
    const { runId = 'run', letterId, ...step } = options;
    const request = { installation: meta!.value, scheduleId, scheduledTime: scheduledTime.toISOString(), epoch: 0 };
    const retryState = 'MAXIMUM_ATTEMPTS_REACHED';
    return buryStep(store, {
      ...{ ...request, workflowId: 'workflow', runId, failedAt: Date.parse('2026-03-01T00:35:00Z') },
      ...(letterId ? { letterId } : {}),
      step: {
        eventId: 5,
        activityType: 'chargeCard',
        activityId: '1',
        originalRunId: 'run',
        retryState,
        failure,
        burial,
        ...step,
      },
    });
  };
  const close = (outcome: FiringOutcome, failedStep?: FailedStep) =>
    closed(store, { scheduleId, scheduledTime }, outcome, failedStep);
  const take = (now: number) => {
    const times = { now: new Date(now), lookAt: new Date(now + 30_000), paceSince: new Date(now) };
    return takeRedrives(store, { ...times, withoutNamespaces: [], limit: 10 });
  };
  const mayHaveLost = (scheduledTime: string) =>
    mayHaveLostFiring(store, { installation: meta!.value, scheduleId, scheduledTime, epoch: 0 });
  return { scheduleId, store, bury, close, take, mayHaveLost };
}

async function closed(
  store: Store,
  key: { scheduleId: string; scheduledTime: Date },
  outcome: FiringOutcome,
  failedStep?: FailedStep,
) {
  const now = new Date('2026-03-01T00:40:00Z');
  await closeFirings(
    store,
    [{ ...key, epoch: 0, outcome, failedStep, closedAt: now, runId: 'run', endedRunId: 'run' }],
    {
      now,
      resetCheckAt: now,
    },
  );
  return letters();
}

const letters = () =>
  ledger().query(
    `select letter_id, kind, state, reason, failed_step ->> 'runId' as run from escapement.dead_letters
       order by kind, created_at, letter_id`,
  );

it('a chain that fails at the step of that number in a later run has its letter, though the first was given up', async () => {
  const { bury, close } = await running();
  const letterId = await bury(1);
  await ledger().query(`update escapement.dead_letters set state = 'discarded' where letter_id = $1`, [letterId]);
  const next = { runId: 'next', eventId: 5, activityType: 'chargeCard', activityId: '1', failure };
  expect(await close('failed', next)).toEqual([
    { letter_id: letterId, kind: 'parked', state: 'discarded', reason: 'step_failed', run: 'run' },
    { letter_id: expect.any(String), kind: 'workflow', state: 'open', reason: 'failed', run: 'next' },
  ]);
});

it('each parked step has its own letter, which a machine’s end leaves open and a completion resolves', async () => {
  const { bury, close } = await running();
  await bury(1);
  await bury(2, { eventId: 6, activityId: '2' });
  const parked = await letters();
  expect(parked.map(({ kind, state }) => [kind, state])).toEqual([
    ['parked', 'open'],
    ['parked', 'open'],
  ]);
  expect((await close('terminated')).map(({ kind, state, reason }) => [kind, state, reason])).toEqual([
    ['workflow', 'open', 'terminated'],
    ['workflow', 'open', 'terminated'],
  ]);
  await ledger().query(`update escapement.firings set state = 'linked', outcome = null`);
  expect((await close('completed')).map(({ state }) => state)).toEqual(['resolved', 'resolved']);
});

describe('the note of a letter whose firing ends while its redrive is pending', () => {
  const notes = () => ledger().query('select state, note from escapement.dead_letters');
  const redrive = (letterId: string) => ledger().client.deadLetters.redrive(letterId, { note: 'the bank is back' });
  const notDone = (outcome: string) => [{ state: 'open', note: `not redriven: its firing ended first: ${outcome}` }];

  it('says that a parked step was not redriven', async () => {
    const { bury, close } = await running();
    await redrive((await bury(1))!);
    await close('terminated');
    expect(await notes()).toEqual(notDone('terminated'));
  });

  it('says that a chain was not redriven which a person reset, and which failed elsewhere', async () => {
    const { close } = await running();
    const [letter] = await close('failed', { runId: 'run', eventId: 5, failure });
    await redrive(letter!.letter_id);
    await ledger().query(`update escapement.firings set state = 'linked', outcome = null`);
    await close('failed', { runId: 'reset', eventId: 9, failure });
    expect(await notes()).toEqual(notDone('failed'));
  });

  it.each([
    ['told', { told: { runId: 'run', burial: 1 } }],
    ['reset', { reset: { runId: 'former', eventId: 4 } }],
    ['expired', { mode: 'expire' }],
  ])('stays if its run may have been %s', async (_, request) => {
    const { bury, close } = await running();
    await redrive((await bury(1))!);
    await ledger().query('update escapement.dead_letters set redrive = redrive || $1', [request]);
    await close('terminated');
    expect(await notes()).toEqual([{ state: 'open', note: 'the bank is back' }]);
  });
});

it('a step that a reset runs again opens its letter again, and keeps what was asked for', async () => {
  const { bury } = await running();
  const letterId = await bury(1);
  expect(await bury(1, { runId: 'reset', eventId: 9 })).toBe(letterId);
  expect(await letters()).toMatchObject([{ state: 'open', run: 'reset' }]);
  await ledger().client.deadLetters.discard(letterId!, { note: 'paid by hand' });
  expect(await bury(1, { runId: 'reset again', eventId: 9 })).toBe(letterId);
  expect(await letters()).toMatchObject([{ state: 'redriving', run: 'reset again' }]);
  // It is different if the run continued as new, since that is another step.
  expect(await bury(1, { runId: 'next', originalRunId: 'next' })).not.toBe(letterId);
});

it('a redriven step keeps its letter when a reset runs it again from before its first failure', async () => {
  const { bury } = await running();
  const letterId = (await bury(1))!;
  // Each redrive schedules the step as a new activity.
  expect(await bury(2, { letterId, eventId: 9, activityId: '2' })).toBe(letterId);
  expect(await bury(3, { letterId, eventId: 13, activityId: '3' })).toBe(letterId);
  expect(await bury(1, { runId: 'reset' })).toBe(letterId);
  expect(await bury(2, { runId: 'reset', letterId, eventId: 9, activityId: '2' })).toBe(letterId);
  expect(await bury(1, { runId: 'reset again' })).toBe(letterId);
  expect(await letters()).toMatchObject([{ state: 'open', run: 'reset again' }]);
  expect(await bury(2, { runId: 'reset again', activityId: '2' })).not.toBe(letterId);
});

it('a step that takes the number of a step before a worker died keeps its own letter after a reset', async () => {
  const { bury } = await running();
  const letterId = await bury(1);
  expect(await bury(1, { activityId: '2' })).toBe(letterId);
  expect(await bury(1, { runId: 'reset', activityId: '2' })).toBe(letterId);
});

it('a step that parks anew after a reset, just before its decision is sent, is decided in its new run', async () => {
  const { store, bury, take } = await running();
  const letterId = await bury(1);
  await ledger().client.deadLetters.redrive(letterId!);
  const now = ledger().clock.now();
  const [taken] = await take(now);
  expect(await bury(1, { runId: 'reset', eventId: 9 })).toBe(letterId);
  expect(await announceDecision(store, taken!, { runId: 'reset', burial: 1 })).toBe('gone');
  const [again] = await take(now + 30_000);
  expect(await announceDecision(store, again!, { runId: 'reset', burial: 1 })).toBe('announced');
});

it('a step that was decided is known as such when its workflow has ended, and its letter is redriven', async () => {
  const { store, bury, close, take } = await running();
  const letterId = await bury(1);
  await ledger().client.deadLetters.redrive(letterId!);
  const now = ledger().clock.now();
  const [taken] = await take(now);
  expect(await recordDecision(store, taken!, new Date(now))).toBe(true);
  expect(await close('terminated')).toMatchObject([{ kind: 'workflow', state: 'open' }]);
  await ledger().client.deadLetters.redrive(letterId!);
  const query = `select redrive ->> 'mode' as mode, failed_step ->> 'decided' as decided from escapement.dead_letters`;
  expect(await ledger().query(query)).toEqual([{ mode: 'resume', decided: 'continue' }]);
  // The step has run again, and waits again.
  await bury(1, { runId: 'reset', eventId: 5 });
  expect(await ledger().query(query)).toEqual([{ mode: null, decided: null }]);
});

it('a step that parks again after a reset opens its letter, though a resume of the failed run was asked for', async () => {
  const { bury } = await running();
  const letterId = await bury(1);
  await ledger().query(
    `update escapement.dead_letters set kind = 'workflow', reason = 'parked_too_long', state = 'redriving', redrive = $1`,
    [{ mode: 'resume', actor: 'person', requestedAt: '2026-03-01T00:00:00Z', lookAt: '2026-03-01T00:00:00Z' }],
  );
  expect(await bury(1, { runId: 'reset', eventId: 9 })).toBe(letterId);
  expect(await letters()).toMatchObject([{ kind: 'parked', state: 'open', run: 'reset' }]);
});

it('a letter that the ledger has lost comes back under its ID, and under another where that one is settled', async () => {
  const { bury } = await running();
  const letterId = await bury(1);
  await ledger().query('delete from escapement.dead_letters');
  expect(await bury(1, { letterId: letterId! })).toBe(letterId);
  expect(await bury(1, { letterId: letterId! })).toBe(letterId);
  expect(await letters()).toMatchObject([{ letter_id: letterId, state: 'open' }]);
  await ledger().query(`update escapement.dead_letters set state = 'discarded'`);
  expect(await bury(1, { letterId: letterId! })).toBe(letterId);
  const other = await bury(2, { letterId: letterId! });
  expect(other).not.toBe(letterId);
  expect(await letters()).toMatchObject([
    { letter_id: letterId, state: 'discarded' },
    { letter_id: other, state: 'open' },
  ]);
});

it('a question that is late sets no letter back whose step has been tried again since, and makes none beside it', async () => {
  const { bury } = await running();
  const letterId = await bury(1);
  expect(await bury(2, { letterId: letterId! })).toBe(letterId);
  expect(await bury(1, { letterId: letterId! })).toBeUndefined();
  const burials = () => ledger().query(`select state, failed_step -> 'burial' as burial from escapement.dead_letters`);
  expect(await burials()).toEqual([{ state: 'open', burial: 2 }]);
  await ledger().query(`update escapement.dead_letters set state = 'resolved'`);
  expect(await bury(1, { letterId: letterId! })).toBeUndefined();
  expect(await burials()).toEqual([{ state: 'resolved', burial: 2 }]);
});

it('a firing of a retired month is not waited for, unless that month was created again', async () => {
  const { store, mayHaveLost } = await running();
  const october = '2025-10-31T23:59:59Z';
  expect(await mayHaveLost(october)).toBe(true);
  await ledger().query(`insert into escapement.meta (key, value) values ('retention_floor', '"2025-11-01T00:00:00Z"')`);
  expect(await mayHaveLost(october)).toBe(false);
  expect(await mayHaveLost('2025-11-01T00:00:00Z')).toBe(true);
  // As for a redrive, whose restart may then be lost.
  await ensurePartitions(store, [new Date(october)], { allowRetired: true });
  expect(await mayHaveLost(october)).toBe(true);
});

it('a trigger of the version before writes its letter beside them, and each settles what the other wrote', async () => {
  const { bury, close, scheduleId } = await running();
  const own = await bury(1);
  // As the previous version expects: one open letter per firing, by its index.
  const before = `insert into escapement.dead_letters as l (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace,
      workflow_id, run_id, failed_step, created_at, updated_at)
    select gen_random_uuid(), f.schedule_id, f.scheduled_time, f.epoch, 'workflow', 'failed', f.namespace, f.workflow_id,
      f.run_id, '{"failure": {"type": "Error", "message": "broken"}}', now(), now() from escapement.firings f where f.schedule_id = $1
    on conflict (schedule_id, scheduled_time) where state in ('open', 'redriving') do update set state = 'open',
      updated_at = excluded.updated_at`;
  await ledger().query(before, [scheduleId]);
  await ledger().query(before, [scheduleId]);
  expect((await letters()).map(({ kind, state }) => [kind, state]).sort()).toEqual([
    ['parked', 'open'],
    ['workflow', 'open'],
  ]);
  await ledger().query(
    `update escapement.dead_letters set state = 'discarded', note = 'its workflow was canceled' where schedule_id = $1
       and state in ('open', 'redriving') and kind = 'parked'`,
    [scheduleId],
  );
  expect(await ledger().client.deadLetters.get(own!)).toMatchObject({ state: 'discarded' });
  expect((await close('completed')).map(({ state }) => state).sort()).toEqual(['discarded', 'resolved']);
});
