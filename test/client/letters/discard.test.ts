import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  CannotRestoreError,
  DeadLetterConflictError,
  DeadLetterNotFoundError,
  DeadLetterStateError,
  InvalidOptionError,
} from '../../../index';
import { writeLetter } from '../../support/failures/letters';
import { useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const letterOf = (row?: Parameters<typeof writeLetter>[1]) => writeLetter(ledger(), row);

const note = 'paid by hand';

it('letters that match are given up in bulk, for one reason, and counted before', async () => {
  const { deadLetters } = ledger().client;
  const [parked, failed, other] = [
    await letterOf({ kind: 'parked' }),
    await letterOf(),
    await letterOf({ step: 'mail' }),
  ];
  const filter = { step: 'chargeCard' };
  const all = { total: 2, discarded: 2, refused: {} };
  expect(await deadLetters.discardAll(filter, { note, dryRun: true })).toEqual(all);
  expect(await deadLetters.get(failed)).toMatchObject({ state: 'open' });

  const progress: number[] = [];
  expect(await deadLetters.discardAll(filter, { note, progress: ({ discarded }) => progress.push(discarded) })).toEqual(
    all,
  );
  expect(progress).toEqual([1, 2]);
  expect(await deadLetters.get(failed)).toMatchObject({ state: 'discarded', note, actor: 'test' });
  // A trigger sends the decision to the step.
  expect(await deadLetters.get(parked)).toMatchObject({ state: 'redriving', redrive: { mode: 'discard' }, note });
  expect(await deadLetters.get(other)).toMatchObject({ state: 'open' });
  expect(await deadLetters.discardAll(filter, { note })).toEqual({ total: 0, discarded: 0, refused: {} });
});

it('a discard in bulk without a reason, or without a filter, gives nothing up', async () => {
  const letterId = await letterOf();
  const { deadLetters } = ledger().client;
  await expect(deadLetters.discardAll({}, { note })).rejects.toThrow(InvalidOptionError);
  await expect(deadLetters.discardAll({ state: 'open' }, { note: ' ' })).rejects.toThrow(InvalidOptionError);
  await expect(deadLetters.discardAll({ step: undefined } as never, { note })).rejects.toThrow(InvalidOptionError);
  expect(await deadLetters.get(letterId)).toMatchObject({ state: 'open' });
});

it('a discard is taken back while it is the last word on its firing, and the letter can be redriven', async () => {
  const { deadLetters } = ledger().client;
  const letterId = await letterOf();
  await deadLetters.discard(letterId, { note });
  expect(await deadLetters.restore(letterId, { note: 'it was not paid' })).toMatchObject({
    ...{ state: 'open', kind: 'workflow', note: 'it was not paid', actor: 'test' },
  });
  expect(await deadLetters.redrive(letterId)).toMatchObject({ mode: 'resume', letter: { state: 'redriving' } });
});

it('the discard of a parked step is taken back until the step is told', async () => {
  const { deadLetters } = ledger().client;
  const letterId = await letterOf({ kind: 'parked', firing: { state: 'linked' } });
  await deadLetters.discard(letterId, { note });
  expect(await deadLetters.restore(letterId)).toMatchObject({ state: 'open', kind: 'parked', redrive: null });

  await deadLetters.discard(letterId, { note });
  await ledger().query(`update escapement.letters set redrive = redrive || '{"told": {"runId": "run", "burial": 1}}'`);
  await expect(deadLetters.restore(letterId)).rejects.toMatchObject({ name: 'CannotRestoreError', reason: 'told' });
  // The step fails, and its workflow with it. That failure can be resumed at the step.
  await ledger().query(`update escapement.letters set state = 'discarded'`);
  await expect(deadLetters.restore(letterId)).rejects.toMatchObject({ reason: 'told' });
  await ledger().query(`update escapement.firings set state = 'closed', outcome = 'failed'`);
  expect(await deadLetters.restore(letterId)).toMatchObject({ state: 'open', kind: 'workflow', reason: 'failed' });
});

it.each([
  ['completed', { state: 'closed', outcome: 'completed' }],
  ['restarted', { state: 'closed', outcome: 'failed', epoch: 1 }],
  ['running', { state: 'linked' }],
  ['gone', 'none'],
] as const)('a discard stands where its firing is %s', async (reason, firing) => {
  const letterId = await letterOf({ firing });
  const { deadLetters } = ledger().client;
  await deadLetters.discard(letterId, { note });
  const refused = await deadLetters.restore(letterId).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(CannotRestoreError);
  expect(refused).toMatchObject({ letterId, reason });
  expect(await deadLetters.get(letterId)).toMatchObject({ state: 'discarded', note });
});

it('a discard of the version before is taken back beside another open letter that it wrote of the same firing', async () => {
  const { deadLetters } = ledger().client;
  const letterId = await letterOf();
  await deadLetters.discard(letterId, { note });
  await ledger().query('insert into escapement.dead_letters select * from escapement.letters');
  await ledger().query('delete from escapement.letters');
  const other = randomUUID();
  await ledger().query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
     select $1, schedule_id, scheduled_time, 0, 'workflow', 'failed', namespace, now(), now() from escapement.dead_letters`,
    [other],
  );
  expect(await deadLetters.restore(letterId)).toMatchObject({
    state: 'open',
    failedStep: { activityType: 'chargeCard' },
  });
  expect(await deadLetters.redrive(letterId)).toMatchObject({ letter: { state: 'redriving' } });
  expect(await deadLetters.get(other)).toMatchObject({ state: 'open' });
  expect(await ledger().query('select letter_id from only escapement.dead_letters')).toEqual([{ letter_id: other }]);
});

it('only a discard can be taken back', async () => {
  const { deadLetters } = ledger().client;
  const letterId = await letterOf();
  await expect(deadLetters.restore(letterId)).rejects.toThrow(DeadLetterStateError);
  await expect(deadLetters.restore(randomUUID())).rejects.toThrow(DeadLetterNotFoundError);
  await deadLetters.redrive(letterId);
  await expect(deadLetters.restore(letterId)).rejects.toThrow(DeadLetterConflictError);
});
