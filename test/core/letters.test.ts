import { describe, expect, it } from 'vitest';
import { type BadEnd, decideLetters, type StandingLetter } from '../../core/decisions/letters';
import type { FailedStep } from '../../core/letters/failed-step';
import type { RedriveRequest } from '../../core/letters/redrive';

const failure = { type: 'CardDeclined', message: 'no money' };
const charge = { runId: 'run', eventId: 5, activityType: 'chargeCard', activityId: '1', failure };
const failed = (failedStep: FailedStep | undefined): BadEnd => ({ as: 'workflow', outcome: 'failed', failedStep });
const request = (options: Partial<RedriveRequest>): RedriveRequest => ({
  ...{ mode: 'resume', requestId: 'request', force: false, askedAt: '2026-03-01T00:00:00.000Z' },
  ...options,
});
const letter = (options: Partial<StandingLetter> = {}): StandingLetter => ({
  ...{ letterId: 'letter', kind: 'parked', state: 'open', redrive: null, updatedAt: new Date(0) },
  failedStep: { ...charge, burial: 1 },
  ...options,
});

describe('a chain that failed', () => {
  it('opens a letter where it has none', () => {
    expect(decideLetters(failed(charge), [])).toEqual({ changes: [], opens: true });
  });

  it('opens none where a person gave up that very failure', () => {
    const discarded = letter({ state: 'discarded' });
    expect(decideLetters(failed(charge), [discarded])).toEqual({ changes: [], opens: false });
  });

  it('puts that very failure into no other letter either', () => {
    const discarded = letter({ letterId: 'discarded', state: 'discarded' });
    const before = letter({ kind: 'workflow', failedStep: { runId: 'before', failure } });
    for (const letters of [
      [discarded, before],
      [before, discarded],
    ]) {
      expect(decideLetters(failed(charge), letters)).toEqual({ changes: [], opens: false });
    }
  });

  it('puts nothing into a letter that a person discarded: it opens a new one', () => {
    const discarded = letter({ kind: 'workflow', state: 'discarded', failedStep: charge });
    expect(decideLetters(failed({ ...charge, eventId: 17 }), [discarded])).toEqual({ changes: [], opens: true });
  });

  it('opens none where the step was given up in a run that a reset has taken it to', () => {
    const told = request({ mode: 'discard', told: { runId: 'reset', burial: 1 } });
    const discarded = letter({ state: 'discarded', redrive: told });
    expect(decideLetters(failed({ ...charge, runId: 'reset' }), [discarded]).opens).toBe(false);
    expect(decideLetters(failed({ ...charge, runId: 'another' }), [discarded]).opens).toBe(true);
  });

  it.each<[string, Partial<FailedStep>]>([
    ['a child that failed at a step of that number', { childWorkflow: { workflowType: 'ship', workflowId: 'ship-1' } }],
    ['a run that went on as new', { runId: 'next' }],
    ['a later step under an activity ID of the user’s own', { eventId: 17 }],
    ['another activity under that number', { activityType: 'sendMail' }],
  ])('opens one though a step was given up before: %s', (_, otherwise) => {
    const discarded = letter({ state: 'discarded' });
    expect(decideLetters(failed({ ...charge, ...otherwise }), [discarded]).opens).toBe(true);
  });

  it('leaves the letter of the parked step that it failed at, and of each that waited beside it', () => {
    const beside = letter({ letterId: 'beside', failedStep: { ...charge, eventId: 6, activityId: '2', burial: 2 } });
    expect(decideLetters(failed(charge), [beside, letter()])).toEqual({
      opens: false,
      changes: [
        { letterId: 'beside', state: 'open', kind: 'workflow', takes: 'nothing' },
        { letterId: 'letter', state: 'open', kind: 'workflow', takes: 'same' },
      ],
    });
  });

  it('after a redrive opens that letter again, wherever it fails now', () => {
    const redriven = letter({ kind: 'workflow', state: 'redriving', redrive: request({ carriedOutAt: 'then' }) });
    expect(decideLetters(failed({ ...charge, runId: 'next' }), [redriven])).toEqual({
      opens: false,
      changes: [{ letterId: 'letter', state: 'open', kind: 'workflow', takes: 'end' }],
    });
  });

  it.each<[string, Partial<StandingLetter>]>([
    ['no run was told', { redrive: request({ mode: 'continue', lookAt: 'soon' }) }],
    [
      'the decision was announced and perhaps not sent',
      { redrive: request({ mode: 'continue', told: { runId: 'run', burial: 1 }, lookAt: 'soon' }) },
    ],
    ['its resume was not carried out', { kind: 'workflow', redrive: request({ lookAt: 'soon' }) }],
  ])('leaves its letter to a step that may still wait, and that the next reset may keep waiting: %s', (_, options) => {
    const asked = letter({ letterId: 'asked', state: 'redriving', ...options });
    const another = { ...charge, eventId: 17 };
    const opened = { letterId: 'asked', state: 'open', kind: 'workflow', takes: 'nothing' };
    expect(decideLetters(failed(another), [asked])).toEqual({ opens: true, changes: [opened] });
    // The redrive of another letter of the firing was carried out, at the same instant.
    const resumed = letter({ kind: 'workflow', state: 'redriving', redrive: request({ carriedOutAt: 'then' }) });
    expect(decideLetters(failed(another), [asked, resumed])).toEqual({
      opens: false,
      changes: [opened, { letterId: 'letter', state: 'open', kind: 'workflow', takes: 'end' }],
    });
  });

  it('after its step was told to go on opens that letter again, wherever it fails now', () => {
    const told = { runId: 'run', burial: 1 };
    const redriven = letter({ state: 'redriving', redrive: request({ mode: 'continue', told, carriedOutAt: 'then' }) });
    expect(decideLetters(failed({ ...charge, eventId: 17 }), [redriven])).toEqual({
      opens: false,
      changes: [{ letterId: 'letter', state: 'open', kind: 'workflow', takes: 'end' }],
    });
  });

  it('opens a letter of its own beside the step that had been parked for too long, which keeps its own', () => {
    const expired = letter({ state: 'redriving', redrive: request({ mode: 'expire', lookAt: 'soon' }) });
    expect(decideLetters(failed({ ...charge, eventId: 17 }), [expired])).toEqual({
      opens: true,
      changes: [{ letterId: 'letter', state: 'open', kind: 'workflow', takes: 'nothing' }],
    });
  });

  it('that is recorded once more leaves what a person asked for since', () => {
    const pending = letter({ kind: 'workflow', state: 'redriving', redrive: request({ lookAt: 'soon' }) });
    expect(decideLetters(failed(charge), [pending])).toEqual({ opens: false, changes: [] });
  });

  it('brings the letter of an earlier failure of the chain up to date', () => {
    const before = letter({ kind: 'workflow', failedStep: { runId: 'before', failure } });
    expect(decideLetters(failed(charge), [before])).toEqual({
      opens: false,
      changes: [{ letterId: 'letter', state: 'open', kind: 'workflow', takes: 'end' }],
    });
  });

  it('gives up what a person gave up, though the step was not told in time', () => {
    const asked = letter({ state: 'redriving', redrive: request({ mode: 'discard', lookAt: 'soon' }) });
    expect(decideLetters(failed({ ...charge, eventId: 17 }), [asked])).toEqual({
      opens: true,
      changes: [{ letterId: 'letter', state: 'discarded', kind: 'parked', takes: 'nothing' }],
    });
  });
});

describe('the letter that the failure of a chain goes into', () => {
  const elsewhere = { ...charge, eventId: 17 };
  /** A letter of an earlier failure of the chain, where no step was parked. */
  const earlier = (letterId: string, updatedAt: number, options: Partial<StandingLetter> = {}) =>
    letter({
      kind: 'workflow',
      failedStep: { runId: letterId, failure },
      ...options,
      letterId,
      updatedAt: new Date(updatedAt),
    });
  const redriven = { state: 'redriving', redrive: request({}) } as const;
  const carriedOut = { state: 'redriving', redrive: request({ carriedOutAt: 'then' }) } as const;
  const takes = (letterId: string, how: 'end' | 'same' = 'end') => [
    { letterId, state: 'open', kind: 'workflow', takes: how },
  ];

  it.each<[string, StandingLetter[], object[]]>([
    ['the latest, if there are several', [earlier('a', 1), earlier('b', 3), earlier('c', 2)], takes('b')],
    ['the latest, if that is the first', [earlier('a', 3), earlier('b', 1)], takes('a')],
    [
      'one that describes it, before later ones',
      [earlier('a', 1, { failedStep: elsewhere }), earlier('b', 3)],
      takes('a', 'same'),
    ],
    ['one whose redrive failed, before later ones', [earlier('a', 1, redriven), earlier('b', 3)], takes('a')],
    [
      'one whose parked step was redriven, before later ones',
      [earlier('a', 1, { ...carriedOut, failedStep: { ...charge, burial: 1 } }), earlier('b', 3)],
      takes('a'),
    ],
    [
      'the latest of those whose redrives failed',
      [earlier('a', 1, redriven), earlier('b', 2, redriven), earlier('c', 3)],
      [{ letterId: 'a', state: 'open', kind: 'workflow', takes: 'nothing' }, ...takes('b')],
    ],
    [
      'one of a start that was given up, which no step names',
      [earlier('a', 1, { kind: 'start', failedStep: null })],
      takes('a'),
    ],
  ])('is %s', (_, letters, changes) => {
    expect(decideLetters(failed(elsewhere), letters)).toEqual({ changes, opens: false });
  });

  it.each<[string, Partial<StandingLetter>]>([
    ['a step that still waits', {}],
    ['a step that waits under no number', { failedStep: charge }],
    ['a step that nobody names', { failedStep: null }],
    [
      'a step that was parked for too long',
      { state: 'redriving', redrive: request({ mode: 'expire', carriedOutAt: 'then' }) },
    ],
    ['a step whose wait has ended', { kind: 'workflow' }],
  ])('is not that of %s, but a new one', (_, options) => {
    const parked = letter(options);
    const { changes, opens } = decideLetters(failed(elsewhere), [parked]);
    expect(opens).toBe(true);
    expect(changes.filter((change) => change.takes !== 'nothing')).toEqual([]);
  });

  it('is that of a step that was told to go on, if the chain fails at this step before it hears of that', () => {
    const told = { runId: 'run', burial: 1 };
    const asked = letter({ state: 'redriving', redrive: request({ mode: 'continue', told, lookAt: 'soon' }) });
    expect(decideLetters(failed(charge), [asked])).toEqual({ changes: takes('letter', 'same'), opens: false });
  });

  it.each<[string, Partial<StandingLetter>]>([
    ['its redrive was carried out', carriedOut],
    ['its redrive was given up, and it is open again', { state: 'open', redrive: request({}) }],
    ['its discard was given up, and it is open again', { state: 'open', redrive: request({ mode: 'discard' }) }],
  ])('opens again at the same failure: %s', (_, options) => {
    const same = letter({ kind: 'workflow', ...options });
    expect(decideLetters(failed(charge), [same])).toEqual({ changes: takes('letter', 'same'), opens: false });
  });

  it('is none where a redrive of that very failure is pending, and other letters stay as they are', () => {
    const pending = letter({ kind: 'workflow', state: 'redriving', redrive: request({ lookAt: 'soon' }) });
    expect(decideLetters(failed(charge), [pending, earlier('b', 3)])).toEqual({ changes: [], opens: false });
  });
});

describe('a chain that somebody ended', () => {
  const canceled: BadEnd = { as: 'ended', outcome: 'canceled', failedStep: undefined };
  const abandoned = { kind: 'start', failedStep: null, redrive: request({ mode: 'restart' }) } as const;
  const lost: BadEnd = { ...canceled, outcome: 'unknown', mayRun: true };

  it('leaves no letter', () => {
    expect(decideLetters(canceled, [])).toEqual({ changes: [], opens: false });
  });

  it.each<[string, Partial<StandingLetter>]>([
    ['of an earlier failure', { state: 'open' }],
    ['that a person discarded', { state: 'discarded' }],
  ])('leaves a letter as it is %s', (_, options) => {
    const before = letter({ kind: 'workflow', failedStep: charge, ...options });
    expect(decideLetters(canceled, [before])).toEqual({ changes: [], opens: false });
  });

  it('opens the letter again that was redriven, which still describes the failure', () => {
    const redriven = letter({ kind: 'workflow', state: 'redriving', failedStep: charge, redrive: request({}) });
    expect(decideLetters(canceled, [redriven])).toEqual({
      opens: false,
      changes: [{ letterId: 'letter', state: 'open', kind: 'workflow', takes: 'nothing' }],
    });
  });

  it('leaves the letter of a parked step as it is, with its decision, while the chain may still run', () => {
    const discarded = letter({ state: 'redriving', redrive: request({ mode: 'discard', lookAt: 'soon' }) });
    const resumed = letter({ letterId: 'resumed', kind: 'workflow', state: 'redriving', redrive: request({}) });
    expect(decideLetters(lost, [letter(), discarded, resumed])).toEqual({
      opens: false,
      changes: [{ letterId: 'resumed', state: 'open', kind: 'workflow', takes: 'nothing' }],
    });
  });

  it('opens the letter of its abandoned start as it is while the chain may still run', () => {
    const start = letter({ ...abandoned, state: 'redriving' });
    expect(decideLetters(lost, [start])).toEqual({
      opens: false,
      changes: [{ letterId: 'letter', state: 'open', kind: 'start', takes: 'nothing' }],
    });
  });

  it.each(['redriving', 'open'] as const)('makes the letter of its abandoned start its own: %s', (state) => {
    const start = letter({ ...abandoned, state });
    expect(decideLetters(canceled, [start])).toEqual({
      opens: false,
      changes: [{ letterId: 'letter', state: 'open', kind: 'workflow', takes: 'end' }],
    });
  });

  it('leaves the letter of a parked step open, which nobody has settled', () => {
    expect(decideLetters(canceled, [letter()])).toEqual({
      opens: false,
      changes: [{ letterId: 'letter', state: 'open', kind: 'workflow', takes: 'nothing' }],
    });
  });
});

describe('a start that is given up', () => {
  const end: BadEnd = { as: 'start', outcome: 'abandoned', failedStep: undefined };

  it('opens a letter where it has none', () => {
    expect(decideLetters(end, [])).toEqual({ changes: [], opens: true });
  });

  it.each<[string, Partial<StandingLetter>]>([
    ['after a redrive', { kind: 'workflow', state: 'redriving', redrive: request({}) }],
    ['once more', { kind: 'start' }],
  ])('%s opens that letter again', (_, options) => {
    const before = letter({ failedStep: null, ...options });
    expect(decideLetters(end, [before])).toEqual({
      opens: false,
      changes: [{ letterId: 'letter', state: 'open', kind: 'start', takes: 'end' }],
    });
  });
});
