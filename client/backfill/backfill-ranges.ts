import { InvalidScheduleError } from '../../core/errors';
import type { CompiledSpec } from '../../core/occurrences';
import { checkOptions } from '../../core/options';
import type { BackfillRange } from '../../core/schedule/options';
import { readTime } from '../../core/spec-zone';
import { backfillOptions } from '../call-options';

const OCCURRENCES_AT_MOST = 1_000_000;

/** A range as instants in epoch milliseconds, both ends inclusive. */
export interface CheckedRange extends Pick<BackfillRange, 'overlap'> {
  path: string;
  start: number;
  end: number;
  occurrences: number;
}

/**
 * An end in the future is replaced by the present time.
 *
 * @throws {InvalidScheduleError} with the path of the bad field
 */
export function checkRanges(
  ranges: BackfillRange | BackfillRange[],
  context: { path: string; compiled: CompiledSpec; zone: string; now: Date },
): CheckedRange[] {
  const { path } = context;
  const list = Array.isArray(ranges) ? ranges : [ranges];
  const checked = list.map((range, index) =>
    checkRange(range, Array.isArray(ranges) ? `${path}[${index}]` : path, context),
  );
  const occurrences = checked.reduce((sum, range) => sum + range.occurrences, 0);
  if (occurrences > OCCURRENCES_AT_MOST) {
    const problem = `covers ${occurrences.toLocaleString('en')} occurrences; at most 1,000,000 are allowed at once`;
    throw new InvalidScheduleError(path, problem);
  }
  return checked;
}

function checkRange(
  range: BackfillRange,
  path: string,
  context: { compiled: CompiledSpec; zone: string; now: Date },
): CheckedRange {
  checkOptions(backfillOptions, range, path, (...problem) => new InvalidScheduleError(...problem));
  const start = readTime(range.start, context.zone, `${path}.start`).getTime();
  const now = context.now.getTime();
  const end = Math.min(readTime(range.end, context.zone, `${path}.end`).getTime(), now);
  if (start > now) {
    throw new InvalidScheduleError(`${path}.start`, 'is in the future; future occurrences fire by themselves');
  }
  if (start > end) throw new InvalidScheduleError(`${path}.start`, 'is after end');
  return { path, start, end, overlap: range.overlap, occurrences: context.compiled.count(start - 1, end) };
}
