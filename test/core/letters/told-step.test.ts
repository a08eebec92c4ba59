import { expect, it } from 'vitest';
import { decideLetters, type StandingLetter } from '../../../core/decisions/letters';

const letter: StandingLetter = {
  ...{ letterId: 'letter', kind: 'parked', state: 'redriving', updatedAt: new Date(0) },
  failedStep: { runId: 'run', eventId: 5, burial: 1, failure: { type: 'CardDeclined', message: 'no money' } },
  redrive: { mode: 'continue', requestId: 'request', force: false, askedAt: 'before', carriedOutAt: 'then' },
};

it('the letter of a step that has received its decision opens, though the chain may still run: the step waits no more', () => {
  const lost = { as: 'ended', outcome: 'unknown', failedStep: undefined, mayRun: true } as const;
  expect(decideLetters(lost, [letter])).toEqual({
    opens: false,
    changes: [{ letterId: 'letter', state: 'open', kind: 'parked', takes: 'nothing' }],
  });
  // It failed again, and waits.
  expect(decideLetters(lost, [{ ...letter, state: 'open' }]).changes).toEqual([]);
});
