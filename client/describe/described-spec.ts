import { normalSpec } from '../../core/occurrences/normal-spec';
import type { ScheduleSpec, ScheduleSpecDescription } from '../../core/schedule/spec';
import { unlessInvalid } from '../context';

/**
 * An unreadable spec, for example one with a newer rule, is returned as stored, with its times as dates. The rest of
 * the schedule and other schedules can then still be shown.
 */
export function describedSpec(spec: ScheduleSpec): ScheduleSpecDescription {
  return unlessInvalid(() => normalSpec(spec)) ?? (reviveSpec(spec) as ScheduleSpecDescription);
}

/** JSON has no dates, so turn the texts back into dates. */
export function reviveSpec(spec: ScheduleSpec): ScheduleSpec {
  const date = (value: Date | string | undefined) => (value === undefined ? undefined : new Date(value));
  return {
    ...spec,
    ...(spec.startAt ? { startAt: date(spec.startAt) } : {}),
    ...(spec.endAt ? { endAt: date(spec.endAt) } : {}),
    ...(spec.at ? { at: Array.isArray(spec.at) ? spec.at.map((at) => new Date(at)) : new Date(spec.at) } : {}),
    ...(spec.intervals
      ? {
          intervals: [spec.intervals]
            .flat()
            .map((interval) => (interval?.anchor ? { ...interval, anchor: new Date(interval.anchor) } : interval)),
        }
      : {}),
  };
}
