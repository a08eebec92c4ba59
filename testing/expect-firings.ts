import { AssertionError } from 'node:assert';
import { type LocalTime, localTime } from '../core/local-time';
import type { Answer } from './answers';
import { rememberedZone } from './zones';

/** How answers are shown. */
export interface ExpectFiringsOptions {
  /** @default each schedule's own zone, UTC where it has none */
  timezone?: string;
}

/**
 * Check what happened, a line for each firing or gap: `02:00 completed`, `03:00 skipped (overlap)`,
 * `04:00 catchup completed`, `05:00..07:00 gap of 3 (paused)`. With the date in front when they are of more than one day.
 *
 * @see `docs/testing.md`
 */
export function expectFirings(answers: readonly Answer[], options: ExpectFiringsOptions = {}) {
  return {
    /** @throws {AssertionError} of `node:assert`, with the lines that differ */
    toBe(expected: readonly string[]): void {
      const actual = showFirings(answers, options);
      if (actual.join('\n') === expected.join('\n')) return;
      throw new AssertionError({
        message: `the firings are not as expected\n\n${diff(expected, actual)}`,
        actual,
        expected,
        operator: 'expectFirings',
        stackStartFn: this.toBe,
      });
    },
  };
}

function showFirings(answers: readonly Answer[], { timezone }: ExpectFiringsOptions): string[] {
  const shown = answers.map((answer) => {
    const zone = timezone ?? rememberedZone(answer) ?? 'UTC';
    const from = localTime('from' in answer ? answer.from : answer.scheduledTime, zone);
    const to = 'from' in answer ? localTime(answer.to, zone) : from;
    return { answer, from, to };
  });
  const isDated = new Set(shown.flatMap(({ from, to }) => [from.date, to.date])).size > 1;
  const at = ({ date, time }: LocalTime) => `${isDated ? `${date} ` : ''}${time.replace(/:00$/, '')}`;
  return shown.map(({ answer, from, to }) => {
    if (!('from' in answer)) return `${at(from)} ${wordsOf(answer)}`;
    const stretch = answer.count === 1 ? at(from) : `${at(from)}..${at(to)}`;
    return `${stretch} gap of ${answer.count} (${answer.reason})`;
  });
}

function wordsOf({ kind, state, outcome, reason }: Exclude<Answer, { from: Date }>): string {
  const words = [kind === 'schedule' ? '' : kind, outcome ?? state, reason === null ? '' : `(${reason})`];
  return words.filter((word) => word !== '').join(' ');
}

/** Expected and actual, line by line, by the longest lines in common. */
function diff(expected: readonly string[], actual: readonly string[]): string {
  const common: number[][] = Array.from({ length: expected.length + 1 }, () => Array(actual.length + 1).fill(0));
  for (let i = expected.length - 1; i >= 0; i--) {
    for (let j = actual.length - 1; j >= 0; j--) {
      const longest = Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
      common[i]![j] = expected[i] === actual[j] ? common[i + 1]![j + 1]! + 1 : longest;
    }
  }
  const lines = ['- expected', '+ actual', ''];
  let i = 0;
  let j = 0;
  while (i < expected.length || j < actual.length) {
    if (i < expected.length && j < actual.length && expected[i] === actual[j]) {
      lines.push(`  ${expected[i++]}`);
      j++;
    } else if (j >= actual.length || (i < expected.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push(`- ${expected[i++]}`);
    } else lines.push(`+ ${actual[j++]}`);
  }
  return lines.join('\n');
}
