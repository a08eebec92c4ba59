import { checkAlerts } from './alerts';
import { checkAnswers } from './answers';
import { type CheckedCounts, countChecked, countEvents } from './counts';
import { checkEffects } from './effects';
import { type Duty, occurrencesOf } from './expected';
import type { Facts, Violation } from './facts';
import { checkOverlap } from './overlap';
import { checkPauses } from './pauses';
import { checkRuns } from './runs';
import { checkSecrets } from './secrets';
import { checkSkips } from './skips';

/** The result of the checker. */
export interface Checked {
  /** Number of occurrences that must have an answer. */
  expected: number;
  /** Number of workflow chains in Temporal. */
  started: number;
  checked: CheckedCounts;
  events: Record<string, number>;
  violations: Violation[];
}

/**
 * Compares what should have happened, computed by plain arithmetic, with the data of Postgres and Temporal. The checker
 * shares no code with the code that fires schedules.
 *
 * @see `docs/reliability.md`
 */
export function check(facts: Facts): Checked {
  const occurrences = new Map(facts.schedules.map((one) => [one.scheduleId, occurrencesOf(one, facts)] as const));
  const expected = countMust(occurrences.values());
  return {
    expected,
    started: facts.chains.length,
    checked: countChecked(facts, expected),
    events: countEvents(facts),
    violations: [
      ...checkAnswers(facts, occurrences),
      ...checkSkips(facts, occurrences),
      ...checkPauses(facts),
      ...checkRuns(facts),
      ...checkOverlap(facts),
      ...checkEffects(facts),
      ...checkAlerts(facts),
      ...checkSecrets(facts),
    ],
  };
}

function countMust(all: Iterable<ReadonlyMap<number, Duty>>): number {
  let count = 0;
  for (const duties of all) for (const duty of duties.values()) if (duty === 'must') count += 1;
  return count;
}
