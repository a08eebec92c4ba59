import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  CannotResumeError,
  type DeadLetter,
  DeadLetterConflictError,
  DeadLetterNotFoundError,
  DeadLetterStateError,
  RedriveModeError,
  RedriveNeedsForceError,
  TemporalUnreachableError,
} from '../../../index';
import { useFailedLetters } from './failed-letters';

const { ledger, letterOf, listed, someScheduleId, withTemporal, failedBeside } = useFailedLetters();

it('two people who decide otherwise hear of each other, and the first decision stands', async () => {
  const { client: one } = ledger();
  const other = ledger().newClient({ identity: 'other' });
  const scheduleId = await someScheduleId();
  const parked = await letterOf(scheduleId, { kind: 'parked' });
  expect(await one.deadLetters.discard(parked, { note: 'paid by hand' })).toMatchObject({ state: 'redriving' });
  const refused = await other.deadLetters.redrive(parked).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DeadLetterConflictError);
  expect(refused).toMatchObject({ letterId: parked, decided: { mode: 'discard', actor: 'test' } });
  expect((refused as Error).message).toContain('test asked at 2026-03-01T00:30:00.000Z to discard it');
  // Repeating the same decision is not a conflict.
  expect(await other.deadLetters.discard(parked, { note: 'so do I' })).toMatchObject({ note: 'paid by hand' });

  const failed = await letterOf(scheduleId, { at: '2026-03-01T00:10:00Z' });
  await one.deadLetters.redrive(failed, { mode: 'resume' });
  for (const otherwise of [
    other.deadLetters.redrive(failed, { mode: 'restart' }),
    other.deadLetters.discard(failed, { note: 'too late' }),
  ]) {
    await expect(otherwise).rejects.toThrow(DeadLetterConflictError);
  }
  expect(await other.deadLetters.redrive(failed)).toMatchObject({ mode: 'resume' });
  expect(await one.deadLetters.get(failed)).toMatchObject({ state: 'redriving', actor: 'test' });
});

describe('dead letters', () => {
  it('are listed newest first, page by page, and filtered', async () => {
    const [one, two] = [await someScheduleId(), await someScheduleId()];
    await ledger().query(`update escapement.schedules set tenant = 'acme' where schedule_id = $1`, [two]);
    const ids: string[] = [];
    for (let hour = 0; hour < 7; hour++) {
      const state = hour % 2 ? 'open' : 'resolved';
      const kind = hour < 3 ? 'start' : 'workflow';
      ids.unshift(await letterOf(hour < 5 ? one : two, { state, kind, at: `2026-03-01T0${hour}:00:00Z` }));
    }
    expect(await listed()).toEqual(ids);
    expect(await listed({ pageSize: 2 })).toEqual(ids);
    expect(await listed({ state: 'open', pageSize: 1 })).toEqual([ids[1], ids[3], ids[5]]);
    expect(await listed({ kind: 'start' })).toEqual(ids.slice(4));
    expect(await listed({ scheduleId: two })).toEqual(ids.slice(0, 2));
    expect(await listed({ tenant: 'acme', state: 'open' })).toEqual([ids[1]]);
    const [from, to] = [new Date('2026-03-01T02:00:00Z'), new Date('2026-03-01T04:00:00Z')];
    expect(await listed({ from, to })).toEqual([ids[3], ids[4]]);
  });

  it('older than an age are listed, counted, planned, redriven and discarded, by the clock of the client', async () => {
    ledger().clock.set('2026-03-01T06:00:00Z');
    const scheduleId = await someScheduleId();
    const written = [0, 2, 4, 5].map((hour) =>
      letterOf(scheduleId, { kind: 'start', at: `2026-03-01T0${hour}:00:00Z` }),
    );
    const [oldest, old, , newest] = await Promise.all(written);
    const { deadLetters } = ledger().client;
    expect(await listed({ olderThan: '2 hours' })).toEqual([old, oldest]);
    expect(await listed({ olderThan: 2 * 3_600_000 - 1 })).toHaveLength(3);
    // If there are two bounds, the narrower one applies.
    expect(await listed({ olderThan: '2 hours', to: new Date('2026-03-01T01:00:00Z') })).toEqual([oldest]);
    expect(await listed({ olderThan: '5 hours', to: new Date('2026-03-01T05:00:00Z') })).toEqual([oldest]);
    expect(await deadLetters.groups({ olderThan: '2 hours' })).toMatchObject([{ letters: 2 }]);
    const planned: string[] = [];
    for await (const { letter } of deadLetters.plan({ olderThan: '2 hours' })) planned.push(letter.letterId);
    expect(planned).toEqual([oldest, old]);
    expect(await deadLetters.redriveAll({ olderThan: '5 hours' })).toEqual({ total: 1, redriven: 1, refused: {} });
    expect(await deadLetters.discardAll({ olderThan: '90 minutes' }, { note: 'too late' })).toMatchObject({ total: 2 });
    expect(await listed({ state: 'open' })).toEqual([newest]);
  });

  it('written in the same millisecond are each listed once', async () => {
    const scheduleIds = await Promise.all(Array.from({ length: 7 }, someScheduleId));
    const ids: string[] = [];
    for (const scheduleId of scheduleIds) ids.push(await letterOf(scheduleId));
    expect((await listed({ pageSize: 2 })).sort()).toEqual(ids.sort());
  });

  it('are discarded with a reason, which stays', async () => {
    const letterId = await letterOf(await someScheduleId());
    const { deadLetters } = ledger().client;
    await expect(deadLetters.discard(letterId, { note: ' ' })).rejects.toThrow(TypeError);
    expect(await deadLetters.discard(letterId, { note: 'paid by hand' })).toMatchObject({
      state: 'discarded',
      note: 'paid by hand',
      actor: 'test',
    });
    await expect(deadLetters.discard(letterId, { note: 'again' })).rejects.toThrow(DeadLetterStateError);
    await expect(deadLetters.redrive(letterId)).rejects.toThrow(/discarded/);
  });
});

describe('what cannot be redriven is refused by a typed error that says what to do', () => {
  const refusals: [string, () => Promise<string>, object | undefined, new (...args: never[]) => Error, RegExp][] = [
    ['an unknown letter', async () => randomUUID(), {}, DeadLetterNotFoundError, /dead-letter list/],
    ['what is no ID at all', async () => 'no-id', {}, DeadLetterNotFoundError, /dead-letter list/],
    [
      'a resolved one',
      async () => letterOf(await someScheduleId(), { state: 'resolved' }),
      {},
      DeadLetterStateError,
      /completed/,
    ],
    [
      'a start, resumed',
      async () => letterOf(await someScheduleId(), { kind: 'start' }),
      { mode: 'resume' },
      RedriveModeError,
      /use mode 'restart'/,
    ],
    [
      'a chain, continued',
      async () => letterOf(await someScheduleId()),
      { mode: 'continue' },
      RedriveModeError,
      /use mode 'resume' or 'restart'/,
    ],
    [
      'a parked step, restarted',
      async () => letterOf(await someScheduleId(), { kind: 'parked' }),
      { mode: 'restart' },
      RedriveModeError,
      /use mode 'continue'/,
    ],
  ];
  it.each(refusals)('%s', async (_, letter, options, type, message) => {
    const redriving = ledger().client.deadLetters.redrive(await letter(), options);
    await expect(redriving).rejects.toThrow(type);
    await expect(redriving).rejects.toThrow(message);
  });

  it('one whose firing is under way again, or is no longer kept, to a dry run', async () => {
    const letterId = await letterOf(await someScheduleId());
    const dryRun = () => ledger().client.deadLetters.redrive(letterId, { mode: 'restart', dryRun: true });
    expect(await dryRun()).toMatchObject({ mode: 'restart', letter: { state: 'open' } });
    await ledger().query(`update escapement.firings set state = 'linked', outcome = null`);
    await expect(dryRun()).rejects.toThrow(DeadLetterStateError);
    await expect(dryRun()).rejects.toThrow('its firing is linked again');
    await ledger().query('delete from escapement.firings');
    await expect(dryRun()).rejects.toThrow('the ledger no longer keeps its firing');
  });

  it('a run that Temporal no longer has', async () => {
    const letterId = await letterOf(await someScheduleId(), { workflowId: randomUUID() });
    const { deadLetters } = await withTemporal();
    await expect(deadLetters.redrive(letterId)).rejects.toThrow(CannotResumeError);
    await expect(deadLetters.redrive(letterId)).rejects.toThrow(/use mode 'restart'/);
    expect(await deadLetters.redrive(letterId, { mode: 'restart' })).toMatchObject({ letter: { state: 'redriving' } });
  });

  it('a run whose other steps would run again, unless it is forced; a dry run names them and changes nothing', async () => {
    const letterId = await failedBeside();
    const { deadLetters } = await withTemporal();
    await expect(deadLetters.redrive(letterId)).rejects.toThrow(RedriveNeedsForceError);
    await expect(deadLetters.redrive(letterId)).rejects.toMatchObject({
      siblings: [{ kind: 'activity', name: 'mail' }],
    });
    expect(await deadLetters.redrive(letterId, { dryRun: true })).toMatchObject({
      letter: { state: 'open' },
      plan: { step: { name: 'chargeCard' }, siblings: [{ name: 'mail' }] },
    });
    expect(await deadLetters.redrive(letterId, { force: true })).toMatchObject({
      letter: { state: 'redriving', redrive: { force: true } },
    });
  });
});

it.each([
  ['away', 'UNAVAILABLE', { isAway: true }, {}],
  ['refusing the call', 'INVALID_ARGUMENT', {}, { workflowId: '' }],
])(
  'Temporal %s does not keep a redrive from being asked for; only a dry run needs it',
  async (_, why, options, row) => {
    const letterId = await letterOf(await someScheduleId(), row);
    const { deadLetters } = await withTemporal(options);
    const refused = await deadLetters.redrive(letterId, { dryRun: true }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TemporalUnreachableError);
    expect((refused as Error).message).toContain(why);
    expect(await deadLetters.redrive(letterId)).toMatchObject({ letter: { state: 'redriving' }, plan: undefined });
  },
);

it('a letter reads as it was written', async () => {
  const scheduleId = await someScheduleId();
  const letterId = await letterOf(scheduleId);
  const expected: Partial<DeadLetter> = {
    ...{ letterId, scheduleId, kind: 'workflow', state: 'open', reason: 'failed', epoch: 0, failedStep: null },
    ...{ scheduledTime: new Date('2026-03-01T00:00:00Z'), redrive: null },
  };
  expect(await ledger().client.deadLetters.get(letterId)).toMatchObject(expected);
});
