import type { Duty } from './expected';
import type { Facts, FiringFact, GapFact, Violation } from './facts';
import { named } from './facts';

/**
 * Checks that each occurrence that must have an answer has one, and that each firing that is not manual belongs to an
 * occurrence.
 */
export function checkAnswers(facts: Facts, expected: ReadonlyMap<string, ReadonlyMap<number, Duty>>): Violation[] {
  const firings = byKey(facts.firings);
  const violations: Violation[] = [];
  for (const [scheduleId, duties] of expected) {
    const gaps = facts.gaps.filter((gap) => gap.scheduleId === scheduleId);
    for (const [time, duty] of duties) {
      if (duty === 'may' || firings.has(keyOf({ scheduleId, time })) || gaps.some((gap) => covers(gap, time))) continue;
      violations.push({ kind: 'missed', text: `${named({ scheduleId, time })} has no answer` });
    }
  }
  for (const firing of facts.firings) {
    if (firing.kind === 'manual' || expected.get(firing.scheduleId)?.has(firing.time)) continue;
    violations.push({ kind: 'unexplained', text: `${named(firing)} is no occurrence, and has a row: ${firing.state}` });
  }
  return [...violations, ...checkManual(facts)];
}

/**
 * Checks the number of manual firings: at least one for each request that was answered, and at most one for each
 * attempt.
 */
function checkManual({ firings, asked, schedules }: Facts): Violation[] {
  return schedules.flatMap(({ scheduleId }): Violation[] => {
    const ofIt = asked.filter((one) => one.scheduleId === scheduleId && one.ask === 'trigger');
    const least = ofIt.filter(({ answered }) => answered !== undefined).length;
    const most = ofIt.reduce((sum, { tries }) => sum + tries, 0);
    const found = firings.filter((one) => one.scheduleId === scheduleId && one.kind === 'manual').length;
    const text = `${scheduleId} was fired by hand ${least} to ${most} times, and has ${found} such firings`;
    if (found < least) return [{ kind: 'missed', text }];
    return found > most ? [{ kind: 'unexplained', text }] : [];
  });
}

export const keyOf = ({ scheduleId, time }: { scheduleId: string; time: number }) => `${scheduleId} ${time}`;

export function byKey(firings: readonly FiringFact[]): Map<string, FiringFact> {
  return new Map(firings.map((firing) => [keyOf(firing), firing]));
}

export const covers = ({ from, to }: GapFact, time: number) => time >= from && time <= to;
