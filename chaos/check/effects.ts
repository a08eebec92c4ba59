import type { ChainFact, Facts, Violation } from './facts';

/**
 * Checks that each completed job with a fence has written its effect, that each effect has its workflow, and that each
 * write under a key has a higher token than the write before.
 */
export function checkEffects(facts: Facts): Violation[] {
  const { effects } = facts;
  const violations: Violation[] = [];
  const add = (text: string) => violations.push({ kind: 'effect lost or doubled', text });
  const booked = new Map(effects.map((effect) => [effect.key, effect]));
  for (const { key, tokens } of effects) {
    if (tokens.some((token, index) => index > 0 && token <= tokens[index - 1]!)) {
      add(`${key} was written under the tokens ${tokens.join(', ')}, in this order`);
    }
  }
  for (const key of mustBook(facts).map(effectKey)) if (!booked.get(key)?.booked) add(`${key} is not booked`);
  const keys = new Set(jobsOf(facts).map(effectKey));
  for (const { key } of effects) if (!keys.has(key)) add(`${key} is booked, and no workflow did it`);
  return violations;
}

/** The jobs that must have written their effect. */
export function mustBook(facts: Facts): ChainFact[] {
  return jobsOf(facts).filter(({ status, firstTaskAt = 0, closedAt = Number.POSITIVE_INFINITY }) => {
    // If a failover loses writes of the ledger's database, it also loses writes of the jobs' own data there.
    const isLost = facts.lost.some(({ from, to }) => firstTaskAt <= to && closedAt >= from);
    return status === 'COMPLETED' && !isLost;
  });
}

function jobsOf({ schedules, chains }: Facts): ChainFact[] {
  const fenced = new Set(schedules.flatMap(({ workflow, scheduleId }) => (workflow === 'fenced' ? [scheduleId] : [])));
  return chains.filter(({ scheduleId }) => fenced.has(scheduleId));
}

/** The key under which a job writes its effect. */
export const effectKey = ({ scheduleId, time }: { scheduleId: string; time: number }) =>
  `${scheduleId}/${new Date(time).toISOString()}`;
