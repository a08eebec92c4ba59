import { expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { closeFirings } from '../../../store/firings/close';
import { readDueInterrupts, recordInterrupted, wantInterrupts } from '../../../store/firings/interrupt';
import { refuseRedrive, relinkFiring } from '../../../store/letters/carry-out-redrive';
import { type PendingRedrive, takeRedrives } from '../../../store/letters/redrive';
import { announceReset } from '../../../store/letters/redrive-turns';
import { transact } from '../../../store/transaction';
import { useLedger } from '../../support/ledger';
import { giveUp } from './given-up';

const ledger = useLedger('2026-03-01T12:00:00Z');

const reset = { runId: 'run', eventId: 4 };

/** The end of a run of the chain. Until a reset, Temporal shows that of the run which is reset. */
const failedAt = (
  { scheduleId, scheduledTime, epoch }: PendingRedrive,
  closedAt: Date,
  endedRunId: string | null = 'run',
) => {
  const end = { outcome: 'failed', closedAt, runId: 'run', endedRunId, failedStep: undefined } as const;
  return { scheduleId, scheduledTime, epoch, ...end };
};

/** A failed run whose bulk redrive a trigger has begun. */
async function resumable() {
  const scheduleId = await giveUp(ledger(), { overlap: 'SKIP', pauseOnFailure: true }, 1);
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'failed', run_id = 'run', closed_at = $1`,
    [new Date(ledger().clock.now())],
  );
  await ledger().query(`update escapement.letters set kind = 'workflow'`);
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { mode: 'resume' });
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const now = new Date(ledger().clock.now());
  const lookAt = new Date(now.getTime() + 60 * 60_000);
  const times = { now, lookAt, paceSince: new Date(now.getTime() - 2_000), withoutNamespaces: [] };
  const [redrive] = await takeRedrives(store, { ...times, limit: 1 });
  return { store, redrive: redrive!, times };
}

it('a run that was taken up in its turn is looked at from then on, so that the next of its schedule follows at once', async () => {
  const { store, redrive, times } = await resumable();
  const cancelAt = new Date(times.now.getTime() + 5 * 60_000);
  expect(await announceReset(store, redrive, reset, times.lookAt)).toBe('announced');
  expect(await relinkFiring(store, redrive, { now: times.now, cancelAt, runId: 'next' })).toBeDefined();
  expect(await ledger().query('select state, check_at, interrupt, interrupt_at from escapement.firings')).toEqual([
    { state: 'linked', check_at: times.now, interrupt: 'cancel', interrupt_at: cancelAt },
  ]);
});

it.each([
  ['before', true],
  ['after', false],
])(
  'an interrupt that found only the run before a reset, recorded %s the reset, is sent to the run after it too',
  async (_, isRecordedFirst) => {
    const { store, redrive, times } = await resumable();
    const { now, lookAt } = times;
    const wanted = [{ ...redrive, kind: 'terminate' as const, waitingSince: now }];
    expect(await announceReset(store, redrive, reset, lookAt)).toBe('announced');
    await transact(store, (transaction) => wantInterrupts(transaction, wanted, now));
    const due = () => readDueInterrupts(store, new Date(now.getTime() + 1_000), 10, []);
    const read = await due();
    if (isRecordedFirst) await recordInterrupted(store, read, now);
    expect(await relinkFiring(store, redrive, { now, cancelAt: null, runId: 'next' })).toBeDefined();
    if (!isRecordedFirst) await recordInterrupted(store, read, now);
    expect(await due()).toMatchObject([{ kind: 'terminate', runId: 'run' }]);
    await recordInterrupted(store, await due(), now);
    expect(await due()).toEqual([]);
  },
);

it.each([
  ['a minute later', 60_000, true],
  ['in the same millisecond', 0, false],
])(
  'the end of the run that is about to be reset closes nothing, and that of the run which follows does: %s',
  async (_, after, pauses) => {
    const { redrive, times, store } = await resumable();
    const { now } = times;
    const later = new Date(now.getTime() + 60_000);
    expect(await announceReset(store, redrive, reset, later)).toBe('announced');
    const close = (endedRunId: string, closedAt = now) =>
      closeFirings(store, [failedAt(redrive, closedAt, endedRunId)], { now, resetCheckAt: later });
    expect(await close('run')).toMatchObject({ closed: [] });
    expect(await relinkFiring(store, redrive, { now, cancelAt: null, runId: 'next' })).toBeDefined();
    // Another trigger may have read that end before the reset.
    expect(await close('run')).toMatchObject({ closed: [] });
    const { scheduleId } = redrive;
    const next = await close('next', new Date(now.getTime() + after));
    expect(next).toMatchObject({ closed: [{ scheduleId }], paused: pauses ? [scheduleId] : [] });
  },
);

it('the end of a run that nobody has recorded as reset in time closes nothing: the redrive is taken up again', async () => {
  const { redrive, times, store } = await resumable();
  const { now, lookAt } = times;
  expect(await announceReset(store, redrive, reset, lookAt)).toBe('announced');
  // The trigger may have died before the reset or after it, so another one may have read that end before the reset.
  const watch = { now: lookAt, resetCheckAt: lookAt };
  expect(await closeFirings(store, [failedAt(redrive, now)], watch)).toMatchObject({ closed: [], letters: [] });
  const [again] = await takeRedrives(store, { ...times, ...watch, lookAt: new Date(lookAt.getTime() + 1), limit: 1 });
  expect(again).toMatchObject({ letterId: redrive.letterId, request: { reset } });
  expect(await relinkFiring(store, again!, { now: lookAt, cancelAt: null, runId: 'next' })).toBeDefined();
  expect(await ledger().query('select state from escapement.firings')).toEqual([{ state: 'linked' }]);
});

it.each([
  ['whose run Temporal no longer knows', null, {}],
  ['of a run whose redrive no trigger can read', 'run', { lookAt: 'soon' }],
])('an end %s is recorded, and does not pause its schedule once more', async (_, endedRunId, damage) => {
  const { redrive, times, store } = await resumable();
  const { now, lookAt } = times;
  expect(await announceReset(store, redrive, reset, lookAt)).toBe('announced');
  // Another trigger announces it again, and dies too.
  const request = { ...redrive.request, lookAt: lookAt.toISOString() };
  expect(await announceReset(store, { ...redrive, request }, reset, lookAt)).toBe('announced');
  await ledger().query('update escapement.letters set redrive = redrive || $1', [damage]);
  const watch = { now: lookAt, resetCheckAt: lookAt };
  expect(await closeFirings(store, [failedAt(redrive, now, endedRunId)], watch)).toMatchObject({
    closed: [{ scheduleId: redrive.scheduleId }],
    paused: [],
  });
});

/** Letters of one firing that a person had resumed, and looks at them at any instant. */
async function asked(count = 1) {
  await giveUp(ledger(), { overlap: 'SKIP' }, 1);
  await ledger().query(`update escapement.letters set kind = 'workflow', reason = 'failed'`);
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'failed', reason = null, closed_at = now()`,
  );
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
     select gen_random_uuid(), schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at
     from escapement.letters, generate_series(2, $1::int)`,
    [count],
  );
  const letters = await ledger().query<{ letter_id: string }>('select letter_id from escapement.letters');
  for (const { letter_id } of letters) await ledger().client.deadLetters.redrive(letter_id, { mode: 'resume' });
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const look = (now: Date) => {
    const lookAt = new Date(now.getTime() + 30_000);
    return takeRedrives(store, { now, lookAt, paceSince: now, withoutNamespaces: [], limit: 10 });
  };
  return { store, look };
}

it('a redrive that another trigger has taken up since is not announced: Temporal would reset for both', async () => {
  const { store, look } = await asked();
  const now = ledger().clock.now();
  const [late] = await look(new Date(now));
  const [next] = await look(new Date(now + 30_001));
  const checkAt = new Date(now + 60_000);
  expect(await announceReset(store, late!, reset, checkAt)).toBe('gone');
  expect(await ledger().query('select state from escapement.firings')).toEqual([{ state: 'closed' }]);
  expect(await announceReset(store, next!, reset, checkAt)).toBe('announced');
});

it('a run is reset once for several letters of its firing: the others wait, and are resumed with it', async () => {
  const { store, look } = await asked(2);
  const now = new Date(ledger().clock.now());
  const checkAt = new Date(now.getTime() + 60_000);
  const [one, other] = await look(now);
  expect(await announceReset(store, other!, reset, checkAt)).toBe('announced');
  expect(await announceReset(store, one!, reset, checkAt)).toBe('busy');
  // It finds the chain running, since the run was reset, but not recorded yet.
  expect(await relinkFiring(store, one!, { now, cancelAt: null, runId: 'next' })).toBeUndefined();
  expect(await relinkFiring(store, other!, { now, cancelAt: null, runId: 'next' })).toBeDefined();
  expect(await announceReset(store, one!, reset, checkAt)).toBe('gone');
  const settled = { state: 'redriving', pending: false, at: now.toISOString() };
  expect(
    await ledger().query(
      `select state, redrive ? 'lookAt' as pending, redrive ->> 'carriedOutAt' as at from escapement.letters`,
    ),
  ).toEqual([settled, settled]);
});

it('a run whose reset is refused for one letter is reset for another, and for one that announced it before', async () => {
  const { store, look } = await asked(3);
  const now = new Date(ledger().clock.now());
  const [one, other, older] = await look(now);
  expect(await announceReset(store, one!, reset, now)).toBe('announced');
  // A trigger of an older version does not ask who has announced a reset.
  await ledger().query(`update escapement.letters set redrive = redrive || $1::jsonb where letter_id = $2`, [
    { reset },
    older!.letterId,
  ]);
  expect(await announceReset(store, older!, reset, now)).toBe('announced');
  expect(await refuseRedrive(store, one!, 'not redriven', now)).toBe(true);
  expect(await announceReset(store, other!, reset, now)).toBe('busy');
  expect(await refuseRedrive(store, older!, 'not redriven', now)).toBe(true);
  expect(await announceReset(store, other!, reset, now)).toBe('announced');
  expect(await ledger().query('select state from escapement.firings')).toEqual([{ state: 'linked' }]);
});

it('a run that is about to be reset by itself holds its schedule before the reset: a trigger may die right after it', async () => {
  const { store, look } = await asked();
  const now = ledger().clock.now();
  const [redrive] = await look(new Date(now));
  // A person who redrives one letter is not kept waiting by what runs.
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id, claimed_at)
     select schedule_id, scheduled_time + interval '1 hour', 'linked', kind, namespace, 1, 'another', now() from escapement.firings`,
  );
  expect(await announceReset(store, redrive!, reset, new Date(now + 60_000))).toBe('announced');
  expect(await ledger().query('select state from escapement.firings')).toEqual([
    { state: 'linked' },
    { state: 'linked' },
  ]);
});

it('a firing that waits behind a run which is not reset after all is let go at once', async () => {
  const { store, look } = await asked();
  const now = new Date(ledger().clock.now());
  const [redrive] = await look(now);
  await announceReset(store, redrive!, reset, now);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
     select schedule_id, scheduled_time + interval '1 hour', 'buffered', kind, namespace, 1, now() from escapement.firings`,
  );
  await ledger().query(`update escapement.timers set wake_at = 'infinity'`);
  expect(await refuseRedrive(store, redrive!, 'not redriven', now)).toBe(true);
  expect(await ledger().query('select wake_at from escapement.timers')).toEqual([{ wake_at: now }]);
});

it('a run whose firing a person has run again meanwhile is not reset, and its redrive is refused', async () => {
  const { store, look } = await asked();
  const now = new Date(ledger().clock.now());
  const [redrive] = await look(now);
  const { scheduleId, scheduledTime } = redrive!;
  await ledger().client.getHandle(scheduleId).runAgain(scheduledTime);
  expect(await announceReset(store, redrive!, reset, now)).toBe('gone');
  expect(await relinkFiring(store, redrive!, { now, cancelAt: null, runId: 'next' })).toBeUndefined();
  expect(await ledger().query('select state, epoch from escapement.firings')).toEqual([
    { state: 'buffered', epoch: 1 },
  ]);
  ledger().clock.advance(30_001);
  const { passes } = await ledger().trigger();
  expect(await passes.redrive()).toMatchObject({ refused: 1 });
  expect(await ledger().query('select state, note from escapement.letters')).toEqual([
    { state: 'open', note: expect.stringContaining('is buffered again') },
  ]);
});
