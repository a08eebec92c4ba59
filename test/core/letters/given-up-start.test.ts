import { expect, it } from 'vitest';
import { decideLetters, type StandingLetter } from '../../../core/decisions/letters';

const failure = { type: 'CardDeclined', message: 'no money' };
const failedStep = { runId: 'run', eventId: 5, activityType: 'chargeCard', activityId: '1', failure };
const letter = (options: Partial<StandingLetter>): StandingLetter => ({
  ...{ letterId: 'step', kind: 'workflow', state: 'open', redrive: null, failedStep, updatedAt: new Date(0) },
  ...options,
});

it('the letter of a start that was given up no longer restarts the chain once that has failed, whatever describes it', () => {
  const start = letter({ letterId: 'start', kind: 'start', failedStep: null });
  for (const letters of [
    [start, letter({})],
    [letter({}), start],
  ]) {
    const { changes, opens } = decideLetters({ as: 'workflow', outcome: 'failed', failedStep }, letters);
    expect(opens).toBe(false);
    expect(changes).toContainEqual({ letterId: 'start', state: 'open', kind: 'workflow', takes: 'nothing' });
    expect(changes).toContainEqual({ letterId: 'step', state: 'open', kind: 'workflow', takes: 'same' });
  }
});
