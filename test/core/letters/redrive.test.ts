import { describe, expect, it } from 'vitest';
import { ABANDON_REASONS } from '../../../core/decisions/recovery';
import { FIRING_STATES, type FiringState } from '../../../core/firing';
import {
  LETTER_KINDS,
  LETTER_STATES,
  type LetterKind,
  REDRIVE_MODES,
  type RedriveMode,
  RedriveModeError,
  type RedriveRequest,
  redriveModeOf,
  refusalByFiring,
  restartEpochOf,
  restartsByCurrentVersion,
} from '../../../core/letters/redrive';

it('clients and commands can name each kind and state of letters, and each mode', () => {
  expect(LETTER_KINDS).toEqual(['start', 'workflow', 'parked']);
  expect(LETTER_STATES).toEqual(['open', 'redriving', 'resolved', 'discarded']);
  expect(REDRIVE_MODES).toEqual(['continue', 'resume', 'restart']);
});

describe('the mode of a redrive', () => {
  it.each<[LetterKind, RedriveMode]>([
    ['start', 'restart'],
    ['workflow', 'resume'],
    ['parked', 'continue'],
  ])('for a letter of kind %s is %s if none is given', (kind, mode) => {
    expect(redriveModeOf(kind)).toBe(mode);
    expect(redriveModeOf(kind, undefined)).toBe(mode);
  });

  it.each<[LetterKind, RedriveMode]>([
    ['start', 'restart'],
    ['workflow', 'resume'],
    ['workflow', 'restart'],
    ['parked', 'continue'],
  ])('for a letter of kind %s can be %s', (kind, mode) => {
    expect(redriveModeOf(kind, mode)).toBe(mode);
  });

  it.each<[LetterKind, RedriveMode, string]>([
    ['start', 'continue', "'continue', since its workflow is not known to have started; use mode 'restart'"],
    ['start', 'resume', "'resume', since its workflow is not known to have started; use mode 'restart'"],
    ['workflow', 'continue', "'continue', since its workflow has ended; use mode 'resume' or 'restart'"],
    ['parked', 'resume', "'resume', since its workflow still runs, and waits at the step; use mode 'continue'"],
    ['parked', 'restart', "'restart', since its workflow still runs, and waits at the step; use mode 'continue'"],
  ])('for a letter of kind %s cannot be %s', (kind, mode, reason) => {
    const refused = () => redriveModeOf(kind, mode);
    expect(refused).toThrow(RedriveModeError);
    expect(refused).toThrow(`a letter of kind '${kind}' cannot be redriven by ${reason}`);
  });

  it('is refused by an error that a program can tell by its name, kind and mode', () => {
    const error = new RedriveModeError('workflow', 'complete');
    expect(error).toMatchObject({ name: 'RedriveModeError', kind: 'workflow', mode: 'complete' });
    expect(error.message).toContain("a letter of kind 'workflow' cannot be redriven by 'complete'");
  });
});

describe('the epoch of a restarted firing', () => {
  const epoch = 3;

  it.each(ABANDON_REASONS.filter((reason) => reason !== 'workflow_id_taken'))(
    'is kept only after an abandoned start, so that Temporal recognises an earlier call: %s',
    (reason) => {
      expect(restartEpochOf({ kind: 'start', reason, state: 'abandoned', outcome: null, epoch })).toBe(3);
      // Its chain has run, and an older trigger has left the letter's kind.
      expect(restartEpochOf({ kind: 'start', reason, state: 'closed', outcome: 'canceled', epoch })).toBe(4);
      // Its chain may still run, in a namespace that is missing.
      expect(restartEpochOf({ kind: 'start', reason, state: 'closed', outcome: 'unknown', epoch })).toBe(3);
    },
  );

  it('is the next one if another workflow has the ID of the abandoned start', () => {
    expect(
      restartEpochOf({ kind: 'start', reason: 'workflow_id_taken', state: 'abandoned', outcome: null, epoch }),
    ).toBe(4);
  });

  it.each<[LetterKind, string]>([
    ['workflow', 'failed'],
    ['workflow', 'timed_out'],
    ['parked', 'parked'],
  ])('is the next one if its chain has run: %s, %s', (kind, reason) => {
    expect(restartEpochOf({ kind, reason, state: 'closed', outcome: 'failed', epoch })).toBe(4);
    expect(restartEpochOf({ kind, reason, state: 'abandoned', outcome: null, epoch: 0 })).toBe(1);
  });
});

describe('a restart', () => {
  const REFUSED = ['start_rejected', 'start_refused'];

  it.each(REFUSED)('uses the schedule as it is now if Temporal refused the start: %s', (reason) => {
    expect(restartsByCurrentVersion(reason)).toBe(true);
  });

  it.each([...ABANDON_REASONS.filter((reason) => !REFUSED.includes(reason)), 'failed', 'timed_out'])(
    'uses the version with which the firing was claimed after any other end: %s',
    (reason) => {
      expect(restartsByCurrentVersion(reason)).toBe(false);
    },
  );
});

describe('a redrive by the state of its firing', () => {
  const MODES: RedriveRequest['mode'][] = ['restart', 'resume', 'continue', 'complete', 'discard', 'expire'];
  /** A mode that is not here leaves the decision to the running workflow. */
  const ALLOWED: Partial<Record<RedriveRequest['mode'], FiringState[]>> = {
    restart: ['abandoned', 'closed'],
    resume: ['linked', 'closed'],
  };
  const all = MODES.flatMap((mode) => FIRING_STATES.map((state) => ({ mode, state })));
  const isAllowed = ({ mode, state }: (typeof all)[number]) => ALLOWED[mode]?.includes(state) ?? true;

  it.each(all.filter(isAllowed))('is carried out: $mode of a $state firing', ({ mode, state }) => {
    expect(refusalByFiring(mode, state)).toBeUndefined();
  });

  it.each(all.filter((one) => !isAllowed(one)))('is refused: $mode of a $state firing', ({ mode, state }) => {
    expect(refusalByFiring(mode, state)).toBe(`its firing is ${state} again`);
  });

  it.each(['restart', 'resume', 'continue', 'complete'] as const)(
    'is refused once the ledger has no row of the firing: %s',
    (mode) => {
      expect(refusalByFiring(mode, null)).toBe('the ledger no longer keeps its firing');
    },
  );

  it.each(['discard', 'expire'] as const)('lets a step fail even without a row of the firing: %s', (mode) => {
    expect(refusalByFiring(mode, null)).toBeUndefined();
  });
});
