import { describe, expect, it } from 'vitest';
import { mayBeDone } from '../../core/decisions/may-be-done';
import { ABANDON_REASONS } from '../../core/decisions/recovery';
import { FIRING_OUTCOMES, FIRING_STATES, type FiringOutcome, type FiringState } from '../../core/firing';

/** Why a firing may be skipped, as `docs/tables.md` lists them. */
const SKIP_REASONS = [
  ...['overlap', 'overlap_waiting', 'superseded', 'cancel_ignored', 'native', 'shadow', 'excluded'],
  ...['paused', 'completed', 'schedule_deleted'],
];

type Ended = [state: FiringState, outcome: FiringOutcome | null, reason: string | null];

const DOUBTFUL: [...Ended, words: string][] = [
  ['closed', 'completed', null, 'has completed'],
  ['closed', 'unknown', null, 'has ended in an unknown way'],
  ['skipped', null, 'native', "was started by Temporal's own schedule"],
  ['skipped', null, 'shadow', 'was left to the scheduler that this schedule shadowed'],
  ['abandoned', null, 'start_uncertain', 'may have been started'],
];

describe('a firing that is to run again', () => {
  it.each(DOUBTFUL)('may have done its work: %s, %s, %s', (state, outcome, reason, words) => {
    expect(mayBeDone({ state, outcome, reason })).toBe(words);
  });

  const isDoubtful = (...one: Ended) => DOUBTFUL.some((other) => one.every((part, index) => part === other[index]));
  const harmless: Ended[] = [
    ...FIRING_OUTCOMES.map((outcome): Ended => ['closed', outcome, null]),
    ...SKIP_REASONS.map((reason): Ended => ['skipped', null, reason]),
    ...ABANDON_REASONS.map((reason): Ended => ['abandoned', null, reason]),
    ...FIRING_STATES.map((state): Ended => [state, null, null]),
  ].filter((one) => !isDoubtful(...one));

  it.each(harmless)('has not done its work: %s, %s, %s', (state, outcome, reason) => {
    expect(mayBeDone({ state, outcome, reason })).toBeUndefined();
  });

  it.each(DOUBTFUL)('counts by its state, not by what another state has left in its row: %s, %s, %s', (...doubtful) => {
    const [former, outcome, reason] = doubtful;
    for (const state of FIRING_STATES.filter((one) => one !== former)) {
      expect(mayBeDone({ state, outcome, reason }), state).toBeUndefined();
    }
  });
});
