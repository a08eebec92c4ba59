import { AssertionError } from 'node:assert';
import { z } from 'zod';
import { type LocalTime, localTime } from '../core/local-time';
import { name } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import type { Answer } from './answers';
import { rememberedZone } from './zones';

/** Options for showing answers. */
export interface ExpectFiringsOptions {
  /** The time zone for the lines. @default each schedule's own zone; UTC if it has none */
  timezone?: string;
}

const expectOptions = z.strictObject({ timezone: name.optional() } satisfies FieldsOf<ExpectFiringsOptions>);

/**
 * Compares the answers of schedules with expected lines, one line per firing or gap: `02:00 completed`,
 * `03:00 skipped (overlap)`, `04:00 catchup completed`, `05:00..07:00 gap of 3 (paused)`. Lines start with the date if
 * the answers cover more than one day.
 *
 * @throws {InvalidOptionError} for an unknown or invalid option
 * @see `docs/testing.md`
 */
export function expectFirings(answers: readonly Answer[], options: ExpectFiringsOptions = {}) {
  checkOptions(expectOptions, options);
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

const CONTEXT = 3;
/** The number of lines of each list that are shown if the lists are too long for a comparison. */
const SHOWN_AT_MOST = 50;
/** The maximum size of the table for a comparison: 16 MB. */
const CELLS_AT_MOST = 4_000_000;

function diff(expected: readonly string[], actual: readonly string[]): string {
  const shorter = Math.min(expected.length, actual.length);
  let before = 0;
  while (before < shorter && expected[before] === actual[before]) before++;
  let after = 0;
  while (after < shorter - before && expected.at(-1 - after) === actual.at(-1 - after)) after++;
  const [missing, found] = [expected, actual].map((lines) => lines.slice(before, lines.length - after));
  return [
    '- expected',
    '+ actual',
    '',
    ...unless(before <= CONTEXT, `  … ${before - CONTEXT} lines as expected`),
    ...expected.slice(Math.max(0, before - CONTEXT), before).map((line) => `  ${line}`),
    ...(missing!.length * found!.length <= CELLS_AT_MOST ? lineByLine(missing!, found!) : cut(missing!, found!)),
    ...expected.slice(expected.length - after, expected.length - after + CONTEXT).map((line) => `  ${line}`),
    ...unless(after <= CONTEXT, `  … ${after - CONTEXT} lines as expected`),
  ].join('\n');
}

function unless(isLeftOut: boolean, line: string): string[] {
  return isLeftOut ? [] : [line];
}

/** Compares line by line, by the longest common subsequence. */
function lineByLine(expected: readonly string[], actual: readonly string[]): string[] {
  const width = actual.length + 1;
  const common = new Uint32Array((expected.length + 1) * width);
  const commonFrom = (i: number, j: number) => common[i * width + j]!;
  for (let i = expected.length - 1; i >= 0; i--) {
    for (let j = actual.length - 1; j >= 0; j--) {
      const longest = Math.max(commonFrom(i + 1, j), commonFrom(i, j + 1));
      common[i * width + j] = expected[i] === actual[j] ? commonFrom(i + 1, j + 1) + 1 : longest;
    }
  }
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < expected.length || j < actual.length) {
    if (i < expected.length && j < actual.length && expected[i] === actual[j]) {
      lines.push(`  ${expected[i++]}`);
      j++;
    } else if (j >= actual.length || (i < expected.length && commonFrom(i + 1, j) >= commonFrom(i, j + 1))) {
      lines.push(`- ${expected[i++]}`);
    } else lines.push(`+ ${actual[j++]}`);
  }
  return lines;
}

function cut(expected: readonly string[], actual: readonly string[]): string[] {
  const first = (sign: string, lines: readonly string[]) => [
    ...lines.slice(0, SHOWN_AT_MOST).map((line) => `${sign} ${line}`),
    ...unless(lines.length <= SHOWN_AT_MOST, `${sign} … ${lines.length - SHOWN_AT_MOST} more lines`),
  ];
  return ['  too many lines differ to be compared one by one', ...first('-', expected), ...first('+', actual)];
}
