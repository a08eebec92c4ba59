import { InvalidScheduleError } from '../../core/errors';
import { compileSpec } from '../../core/occurrences';
import { DAY_PARTS } from '../../core/occurrences/days/day-names';
import { normalSpec } from '../../core/occurrences/normal-spec';
import type { ScheduleSpec, ScheduleSpecDescription } from '../../core/schedule';
import { nativeCron } from './native-cron';

/** So many times are compared: years of a nightly schedule, with both changes of the clock. */
const COMPARED = 1_000;

/** A spec that Temporal has every part of. */
export interface NativeSpec {
  spec: ScheduleSpecDescription;
  notes: string[];
}

/**
 * A spec of ours in Temporal's parts alone, in the form in which its describe returns one.
 *
 * @throws {InvalidScheduleError} naming what has no counterpart
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
    cronExpressions: [...(rest.cronExpressions ?? []), ...own.flatMap(nativeCron)],
  });
  const native = { ...spec, intervals: spec.intervals?.map(withoutAnchor) ?? [] };
  const difference = firstDifference(given, native as ScheduleSpec, scheduleId, now);
  const notes =
    difference === undefined
      ? []
      : [`where the clock changes it fires otherwise: first at ${new Date(difference).toISOString()} (spec.dst)`];
  return { spec: native, notes };
}

type Interval = NonNullable<ScheduleSpecDescription['intervals']>[number];

/** An anchor is an offset from 1970, within one period. */
function withoutAnchor({ every, offset, anchor }: Interval): Interval {
  const shift = (Number(anchor?.getTime() ?? 0) + Number(offset ?? 0)) % Number(every);
  return { every, offset: shift < 0 ? shift + Number(every) : shift };
}

/** The first time that only one of them has, of the next thousand; undefined where they are alike. */
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
