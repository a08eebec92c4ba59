import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { SchedulePolicies } from '../../../core/schedule/policies';
import { openStore } from '../../../store/connection';
import { closeFirings } from '../../../store/firings/close';
import { refuseRedrive, relinkFiring } from '../../../store/letters/carry-out-redrive';
import { buryStep } from '../../../store/letters/park-step';
import { holdsSchedule } from '../../../store/letters/parked-firings';
import { takeRedrives } from '../../../store/letters/redrive';
import { announceReset } from '../../../store/letters/redrive-turns';
import { useLedger } from '../../support/ledger';
import { giveUp } from '../../trigger/redrive/given-up';

const ledger = useLedger('2026-03-01T12:00:00Z');
const NOW = '2026-03-01T12:00:00.000Z';
const failure = { type: 'CardDeclined', message: 'no money' };

interface OtherLetter {
  state?: 'open' | 'redriving' | 'discarded';
  step?: Record<string, unknown>;
  redrive?: Record<string, unknown>;
}

const parked = { activityType: 'chargeCard', runId: 'run', eventId: 5, burial: 1, failure };
const pending = { mode: 'resume', requestId: 'one', force: false, askedAt: NOW, lookAt: '2026-03-01T11:00:00.000Z' };

/** A firing whose chain has ended, with a letter that a person resumes, and perhaps another one. */
async function ended(
  ownStep: Record<string, unknown>,
  { state = 'open', step, redrive }: OtherLetter = {},
  policies: SchedulePolicies = {},
) {
  await giveUp(ledger(), { overlap: 'SKIP', ...policies }, 1);
  await ledger().query(`update escapement.firings set state = 'closed', outcome = 'terminated', reason = null,
    run_id = 'first', closed_at = '2026-03-01T11:30:00Z'`);
  const [own] = await ledger().query<{ letter_id: string }>(
    `update escapement.letters set kind = 'workflow', reason = 'terminated', failed_step = $1 returning letter_id`,
    [ownStep],
  );
  const letterId = own!.letter_id;
  await ledger().client.deadLetters.redrive(letterId, { mode: 'resume' });
  if (step) {
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace,
         failed_step, redrive, created_at, updated_at)
       select gen_random_uuid(), schedule_id, scheduled_time, epoch, kind, $1::text, reason, namespace,
         $2::jsonb, $3::jsonb, created_at, created_at
       from escapement.letters`,
      [state, step, redrive],
    );
  }
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const now = new Date(NOW);
  const times = { now, lookAt: new Date(now.getTime() + 30_000), paceSince: now, withoutNamespaces: [], limit: 10 };
  const taken = await takeRedrives(store, times);
  return {
    ...{ store, now, taken, letterId },
    own: taken.find((one) => one.letterId === letterId)!,
    other: async () => (await ledger().query('select * from escapement.letters where letter_id <> $1', [letterId]))[0]!,
  };
}

/** The other letter, once the run was reset to its event 10 for a later step. */
async function resumedBeside(letter: OtherLetter) {
  const scene = await ended({ ...parked, eventId: 15, burial: 2 }, letter);
  const { store, now, own } = scene;
  expect(await announceReset(store, own, { runId: 'run', eventId: 10, unended: [7] }, now)).toBe('announced');
  const others = await relinkFiring(store, own, { now, cancelAt: null, runId: 'next' });
  return { ...scene, became: others?.map(({ became }) => became) };
}

it.each<[string, OtherLetter, object]>([
  ['that nobody has decided is open', { step: parked }, { state: 'open', redrive: null, note: null }],
  [
    'that is to be resumed is tried again in place',
    { state: 'redriving', step: parked, redrive: pending },
    { state: 'redriving', redrive: { mode: 'continue', lookAt: NOW } },
  ],
  [
    'that was discarded is open, and its note says why',
    { state: 'discarded', step: parked },
    { state: 'open', redrive: null, note: 'its step waits again: its run was resumed at a later step' },
  ],
  [
    'that an earlier resume has carried along is open',
    { step: { ...parked, runId: 'before', waitsIn: 'run' } },
    { state: 'open', redrive: null },
  ],
])('the letter of a step that waits again in a resumed run is one of a parked step again: one %s', async (...given) => {
  const [, letter, expected] = given;
  const { other, became } = await resumedBeside(letter);
  expect(became).toEqual(['parked']);
  expect(await other()).toMatchObject({
    ...{ kind: 'parked', reason: 'step_failed', ...expected },
    failed_step: { runId: letter.step!.runId, burial: 1, eventId: 5, waitsIn: 'next', failedAt: NOW },
  });
});

it.each<[string, OtherLetter]>([
  ['scheduled after the point', { step: { ...parked, eventId: 11 } }],
  ['that had not ended at the point', { step: { ...parked, eventId: 7 } }],
  ['of another run', { step: { ...parked, runId: 'before' } }],
  ['that was decided in the former run', { step: parked, redrive: { mode: 'expire', carriedOutAt: NOW } }],
  [
    'that was decided before a resume was refused',
    { step: { ...parked, decided: 'expire' }, redrive: { mode: 'resume' } },
  ],
  ['that was never parked', { step: { activityType: 'chargeCard', runId: 'run', eventId: 5, failure } }],
])(
  'the letter of a step that does not wait in a resumed run stays one of its workflow: a step %s',
  async (_, letter) => {
    const { other, became } = await resumedBeside(letter);
    expect(became).toEqual([]);
    expect(await other()).toMatchObject({ kind: 'workflow', state: 'open', failed_step: letter.step });
  },
);

it('a step that was decided before the reset is not resumed with it, and its letter says so', async () => {
  const step = { ...parked, decided: 'expire' };
  const { other, became } = await resumedBeside({ state: 'redriving', step, redrive: pending });
  expect(became).toEqual(['refused']);
  const { mode, requestId, force, askedAt } = pending;
  const { kind, state, note, redrive } = await other();
  expect({ kind, state, note, redrive }).toEqual({
    ...{ kind: 'workflow', state: 'open', note: 'not redriven: its run was resumed at a later step' },
    redrive: { mode, requestId, force, askedAt, takenAt: expect.any(String) },
  });
});

it.each<[string, Record<string, unknown>]>([
  ['decided, and runs again after the reset,', { eventId: 11, decided: 'expire' }],
  ['told to continue before the reset, and ran again as another activity,', { decided: 'continue' }],
])('a step that was %s is resumed with it', async (_, decision) => {
  const step = { ...parked, ...decision };
  const { other, became } = await resumedBeside({ state: 'redriving', step, redrive: pending });
  expect(became).toEqual(['resumed']);
  expect(await other()).toMatchObject({
    ...{ kind: 'workflow', state: 'redriving', failed_step: step },
    redrive: { mode: 'resume', carriedOutAt: NOW },
  });
});

it('a trigger that was about to resume a step which waits again resets nothing, and the step goes on in place', async () => {
  const { store, now, taken, letterId } = await resumedBeside({ state: 'redriving', step: parked, redrive: pending });
  const late = taken.find((one) => one.letterId !== letterId)!;
  expect(await announceReset(store, late, { runId: 'run', eventId: 4 }, now)).toBe('gone');
  expect(await relinkFiring(store, late, { now, cancelAt: null, runId: 'next' })).toBeUndefined();
  const query = { now, lookAt: now, paceSince: now, withoutNamespaces: [], limit: 10 };
  expect(await takeRedrives(store, query)).toMatchObject([{ letterId: late.letterId, request: { mode: 'continue' } }]);
});

it.each<[string, string | undefined, number, object]>([
  ['runs is told to go on', 'next', 0, { kind: 'parked', redrive: { mode: 'continue', lookAt: NOW } }],
  ['has completed needs nothing', undefined, 0, { kind: 'workflow', redrive: { mode: 'resume', carriedOutAt: NOW } }],
  [
    'began by a restart is told nothing',
    'one',
    1,
    { kind: 'workflow', redrive: { mode: 'resume', carriedOutAt: NOW } },
  ],
])('a parked step whose run nobody has reset for it, and whose chain %s', async (_, runId, epoch, expected) => {
  const { store, now, own } = await ended(parked);
  await ledger().query('update escapement.firings set epoch = $1', [epoch]);
  expect(await relinkFiring(store, { ...own, epoch }, { now, cancelAt: null, runId })).toBeDefined();
  const [letter] = await ledger().query('select * from escapement.letters');
  expect(letter).toMatchObject({ state: 'redriving', failed_step: parked, ...expected });
});

it('a parked step is told to go on, and so are others, if a person may have made the reset that was announced', async () => {
  const step = { ...parked, eventId: 15, burial: 2 };
  const { store, now, letterId, own, other } = await ended(parked, { state: 'redriving', step, redrive: pending });
  expect(await announceReset(store, own, { runId: 'run', eventId: 4 }, now)).toBe('announced');
  const found = { now, cancelAt: null, runId: 'next', isFound: true };
  expect(await relinkFiring(store, own, found)).toEqual([]);
  const decided = { kind: 'parked', state: 'redriving', redrive: { mode: 'continue', lookAt: NOW } };
  const [letter] = await ledger().query('select * from escapement.letters where letter_id = $1', [letterId]);
  expect(letter).toMatchObject({ ...decided, failed_step: parked });
  expect(letter!.redrive).toMatchObject({ told: { runId: 'next', burial: 1 } });
  expect(letter!.failed_step).not.toHaveProperty('waitsIn');
  // The other letter is looked at by itself, once the reset is no longer pending.
  expect(await other()).toMatchObject({ kind: 'workflow', state: 'redriving', redrive: { mode: 'resume' } });
  const later = new Date(now.getTime() + 30_000);
  const query = { now: later, lookAt: later, paceSince: later, withoutNamespaces: [], limit: 10 };
  const due = (await takeRedrives(store, query)).find((one) => one.letterId !== letterId)!;
  const next = { now: later, cancelAt: null, runId: 'next' };
  expect(await relinkFiring(store, due, next)).toEqual([]);
  expect(await other()).toMatchObject({ ...decided, redrive: { mode: 'continue', lookAt: later.toISOString() } });
});

/** A parked step whose resume has found another run, `next`, in place of the reset that it had announced. */
async function found() {
  const step = { ...parked, activityId: '1', originalRunId: 'run' };
  const scene = await ended(step, {}, { parkedHolds: false });
  const { store, now, own } = scene;
  expect(await announceReset(store, own, { runId: 'run', eventId: 4 }, now)).toBe('announced');
  expect(await relinkFiring(store, own, { now, cancelAt: null, runId: 'next', isFound: true })).toEqual([]);
  return { ...scene, step };
}

it('a found run holds its schedule before its step is told to go on: it has probably run the step again', async () => {
  const { store } = await found();
  const { rows } = await sql<{ holds: boolean }>`select ${holdsSchedule(store, 'f')} as holds
    from ${store.table('firings')} f`.execute(store.db);
  expect(rows).toEqual([{ holds: true }]);
});

it('a step that parks anew in a found run opens its letter: nobody has decided about that failure', async () => {
  const { store, letterId, own, step } = await found();
  const [meta] = await ledger().query<{ value: string }>(
    `select value from escapement.meta where key = 'installation'`,
  );
  const { scheduleId, scheduledTime, epoch, workflowId } = own;
  const again = await buryStep(store, {
    ...{ installation: meta!.value, scheduleId, scheduledTime: scheduledTime.toISOString(), epoch, workflowId },
    ...{ runId: 'next', failedAt: Date.parse(NOW) },
    step: { ...step, eventId: 9, retryState: 'MAXIMUM_ATTEMPTS_REACHED' },
  });
  expect(again).toBe(letterId);
  expect(await ledger().query('select kind, state, redrive, failed_step from escapement.letters')).toMatchObject([
    { kind: 'parked', state: 'open', redrive: null, failed_step: { runId: 'next', eventId: 9 } },
  ]);
});

it('a found run that fails elsewhere, before its step is told to go on, leaves the step its letter', async () => {
  const { store, now, own, step } = await found();
  const { scheduleId, scheduledTime, epoch } = own;
  const failedStep = { activityType: 'sendMail', runId: 'next', eventId: 17, failure };
  const end = {
    scheduleId,
    scheduledTime,
    epoch,
    outcome: 'failed',
    runId: 'run',
    endedRunId: 'next',
    failedStep,
    closedAt: now,
  } as const;
  await closeFirings(store, [end], { now, resetCheckAt: now });
  const open = { kind: 'workflow', state: 'open' };
  expect(
    await ledger().query(`select kind, state, failed_step from escapement.letters
      order by failed_step ->> 'activityType'`),
  ).toEqual([
    { ...open, failed_step: step },
    { ...open, failed_step: failedStep },
  ]);
});

it('a parked step whose chain a person has reset is told to go on in the run that follows a reset of that one', async () => {
  const step = { activityType: 'sendMail', runId: 'run', eventId: 15, failure };
  const { store, now, letterId, own, other } = await ended(
    { ...parked, runId: 'before' },
    { state: 'redriving', step, redrive: pending },
  );
  expect(await announceReset(store, own, { runId: 'run', eventId: 10 }, now)).toBe('announced');
  expect(await relinkFiring(store, own, { now, cancelAt: null, runId: 'next' })).toEqual([
    { letterId: (await other()).letter_id, actor: null, became: 'resumed' },
  ]);
  const [letter] = await ledger().query('select * from escapement.letters where letter_id = $1', [letterId]);
  expect(letter).toMatchObject({
    ...{ kind: 'parked', state: 'redriving', failed_step: { ...parked, runId: 'before' } },
    redrive: { mode: 'continue', lookAt: NOW },
  });
  expect(letter!.failed_step).not.toHaveProperty('waitsIn');
  expect(await other()).toMatchObject({ kind: 'workflow', redrive: { mode: 'resume', carriedOutAt: NOW } });
  // Another trigger may have read the end of the former run before the reset.
  const { scheduleId, scheduledTime, epoch } = own;
  const end = {
    scheduleId,
    scheduledTime,
    epoch,
    outcome: 'terminated',
    runId: 'run',
    endedRunId: 'run',
    failedStep: undefined,
  } as const;
  const read = { ...end, closedAt: new Date('2026-03-01T11:30:00Z') };
  expect(await closeFirings(store, [read], { now, resetCheckAt: now })).toMatchObject({ closed: [] });
  // Nor does a decision that cannot be sent close the firing again.
  const query = { now, lookAt: now, paceSince: now, withoutNamespaces: [], limit: 10 };
  const [decision] = await takeRedrives(store, query);
  expect(decision).toMatchObject({ letterId, parked: { runId: 'before' } });
  expect(await refuseRedrive(store, decision!, 'not redriven', now)).toBe(true);
  expect(await ledger().query('select state from escapement.firings')).toEqual([{ state: 'linked' }]);
});
