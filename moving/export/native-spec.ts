import { InvalidScheduleError } from '../../core/errors';
import { compileSpec } from '../../core/occurrences';
import { DAY_PARTS } from '../../core/occurrences/days/day-names';
import { normalSpec } from '../../core/occurrences/normal-spec';
import type { ScheduleSpec, ScheduleSpecDescription } from '../../core/schedule/spec';
import { nativeCron } from './native-cron';

/** The number of times that are compared: years of a nightly schedule, with both clock changes. */
const COMPARED = 1_000;

export interface NativeSpec {
  spec: ScheduleSpecDescription;
  notes: string[];
}

/**
 * Converts a spec of the ledger into Temporal's parts, in the form of Temporal's `describe`.
 *
 * @throws {InvalidScheduleError} that names the part without a counterpart
 */
export function nativeSpec(given: ScheduleSpec, scheduleId: string, now: number): NativeSpec {
  const { cron, dst: _, at, intervals, ...rest } = given;
  if (at !== undefined) throw new InvalidScheduleError('spec.at', 'Temporal has no single instants');
  for (const part of DAY_PARTS) {
    if (given[part]?.length) throw new InvalidScheduleError(`spec.${part}`, 'Temporal has no named calendars of days');
  }
  const own = [cron ?? []].flat();
  const spec = normalSpec({
    ...rest,
    ...(intervals === undefined ? {} : { intervals }),
    cronExpressions: [...(rest.cronExpressions ?? []), ...own.flatMap((cron) => sameCron(cron, scheduleId, now))],
  });
  const native = { ...spec, intervals: spec.intervals?.map(withoutAnchor) ?? [] };
  const difference = firstDifference(given, native as ScheduleSpec, scheduleId, now);
  const notes =
    difference === undefined
      ? []
      : [`where the clock changes it fires otherwise: first at ${new Date(difference).toISOString()} (spec.dst)`];
  return { spec: native, notes };
}

/**
 * Temporal's expressions for one expression of `spec.cron`. Both sides have the same local times. @throws
 * {InvalidScheduleError}
 */
function sameCron(cron: string, scheduleId: string, now: number): string[] {
  const expressions = nativeCron(cron);
  // The clock never changes in UTC, so a difference there does not come from `spec.dst`.
  const ours = { cron, timezone: 'UTC' };
  const difference = firstDifference(ours, { cronExpressions: expressions, timezone: 'UTC' }, scheduleId, now);
  if (difference === undefined) return expressions;
  const first = new Date(difference).toISOString();
  throw new InvalidScheduleError('spec.cron', `'${cron}' has no counterpart in Temporal: it differs at ${first} (UTC)`);
}

type Interval = NonNullable<ScheduleSpecDescription['intervals']>[number];

/** Converts an anchor into an offset from 1970 that is less than one period. Both sides cut periods to whole seconds. */
function withoutAnchor({ every, offset, anchor }: Interval): Interval {
  if (anchor === undefined) return { every, offset };
  const period = Math.floor(Number(every) / 1_000) * 1_000;
  const shift = (anchor.getTime() + Number(offset)) % period;
  return { every, offset: shift < 0 ? shift + period : shift };
}

/** The first difference among the next thousand times; undefined if there is none. */
function firstDifference(one: ScheduleSpec, other: ScheduleSpec, scheduleId: string, now: number): number | undefined {
  const [a, b] = [compileSpec(one, { scheduleId }), compileSpec(other, { scheduleId })];
  let cursor = now;
  for (let count = 0; count < COMPARED; count++) {
    const [next, counterpart] = [a.next(cursor), b.next(cursor)];
    if (next !== counterpart)
      return Math.min(next ?? Number.POSITIVE_INFINITY, counterpart ?? Number.POSITIVE_INFINITY);
    if (next === undefined) return undefined;
    cursor = next;
  }
  return undefined;
}
