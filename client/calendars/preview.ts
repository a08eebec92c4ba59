import { SharedSpecs } from '../../core/occurrences';
import { timezoneOf } from '../../core/occurrences/compile';
import { masksOf } from '../../core/occurrences/days/masks';
import { MaskedSpec } from '../../core/occurrences/masked';
import { zoneNamed } from '../../core/occurrences/zones/zones';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { type CalendarKey, readScheduleIdsNaming } from '../../store/calendars/rows';
import { readDeclared } from '../../store/schedules/apply';
import { type ClientContext, unlessInvalid } from '../context';
import { Turns } from '../in-turns';

/** What a change of a calendar's days would do to one schedule. */
export interface ChangedSchedule {
  /** ID of the schedule. */
  scheduleId: string;
  /** Number of occurrences of the next two years that would be removed; 0 if either spec cannot be evaluated. */
  fewer: number;
  /** Number of occurrences of the next two years that would be added; 0 if either spec cannot be evaluated. */
  more: number;
  /** The next nominal time with the present days; undefined if there is none, or if either spec cannot be evaluated. */
  nextBefore: Date | undefined;
  /**
   * The next nominal time with the new days; undefined if there would be none, or if either spec cannot be evaluated.
   */
  nextAfter: Date | undefined;
}

const READ_AT_ONCE = 500;
const LOOKS_AHEAD_MILLISECONDS = 2 * 366 * 24 * 60 * 60 * 1_000;

/** Every live schedule that names the calendar is listed, ordered by ID, even if nothing changes. */
export async function previewCalendar(
  context: ClientContext,
  key: CalendarKey,
  { days, now }: { days: string; now: Date },
): Promise<ChangedSchedule[]> {
  const found: ChangedSchedule[] = [];
  const specs = new SharedSpecs();
  const turns = new Turns();
  for (let behind = ''; ; ) {
    const ids = await readScheduleIdsNaming(context.store, key, { behind, size: READ_AT_ONCE });
    const rows = await readDeclared(context.store, ids);
    for (const { scheduleId, spec } of rows.sort((one, other) => (one.scheduleId < other.scheduleId ? -1 : 1))) {
      const changed = { ...spec, calendarDays: { ...spec.calendarDays, [key.name]: days } };
      found.push({ scheduleId, ...difference(specs, scheduleId, [spec, changed], now.getTime()) });
      await turns.next();
    }
    if (ids.length < READ_AT_ONCE) return found;
    behind = ids.at(-1)!;
  }
}

function difference(
  specs: SharedSpecs,
  scheduleId: string,
  [former, changed]: [ScheduleSpec, ScheduleSpec],
  now: number,
): Omit<ChangedSchedule, 'scheduleId'> {
  const none = { fewer: 0, more: 0, nextBefore: undefined, nextAfter: undefined };
  const found = unlessInvalid(() => {
    const [before, after] = [specs.compile(former, scheduleId), specs.compile(changed, scheduleId)];
    const until = now + LOOKS_AHEAD_MILLISECONDS;
    const zone = zoneNamed(timezoneOf(changed), 'spec.timezone');
    // The number of occurrences that both definitions have: one change of a calendar may both add and remove days.
    const stay = new MaskedSpec(before, masksOf(changed, zone) ?? []).count(now, until);
    return {
      fewer: before.count(now, until) - stay,
      more: after.count(now, until) - stay,
      nextBefore: dateOf(before.next(now)),
      nextAfter: dateOf(after.next(now)),
    };
  });
  return found ?? none;
}

function dateOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
