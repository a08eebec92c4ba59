import type { Facts, Violation } from './facts';

/**
 * Checks that each completed job with a fence has written its effect, that each effect has its workflow, and that each
 * write under a key has a higher token than the write before.
 */
export function checkEffects({ schedules, chains, effects, lost }: Facts): Violation[] {
  const violations: Violation[] = [];
  const add = (text: string) => violations.push({ kind: 'effect lost or doubled', text });
  const booked = new Map(effects.map((effect) => [effect.key, effect]));
  for (const { key, tokens } of effects) {
    if (tokens.some((token, index) => index > 0 && token <= tokens[index - 1]!)) {
      add(`${key} was written under the tokens ${tokens.join(', ')}, in this order`);
    }
  }
  const fenced = new Set(schedules.flatMap(({ workflow, scheduleId }) => (workflow === 'fenced' ? [scheduleId] : [])));
  const ran = chains.filter(({ scheduleId }) => fenced.has(scheduleId));
  const keys = new Set(ran.map(effectKey));
  for (const chain of ran) {
    const { firstTaskAt = 0, closedAt = Number.POSITIVE_INFINITY, status } = chain;
    // If a failover loses writes of the ledger's database, it also loses writes of the jobs' own data there.
    const isLost = lost.some(({ from, to }) => firstTaskAt <= to && closedAt >= from);
    if (status === 'COMPLETED' && !isLost && !booked.get(effectKey(chain))?.booked)
      add(`${effectKey(chain)} is not booked`);
  }
  for (const { key } of effects) if (!keys.has(key)) add(`${key} is booked, and no workflow did it`);
  return violations;
}

const effectKey = ({ scheduleId, time }: { scheduleId: string; time: number }) =>
  `${scheduleId}/${new Date(time).toISOString()}`;
