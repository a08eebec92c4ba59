import type { ScheduleSpec } from '../../schedule/spec';

/** The parts of a spec that name days or calendars of days. */
export const DAY_PARTS = ['skipDays', 'onlyDays'] as const satisfies (keyof ScheduleSpec)[];

const LONGEST_NAME_BYTES = 100;
/** The pattern excludes texts that could be read as a date, an option or two names. */
const NAME = /^\p{L}[\p{L}\p{N}_.-]*$/u;

/** Whether a spec has `skipDays` or `onlyDays`. */
export function namesDays(spec: ScheduleSpec): boolean {
  return DAY_PARTS.some((part) => spec[part] !== undefined && spec[part] !== null);
}

/** Whether a text can name a calendar of days: a letter first, then letters, digits, `-`, `_` and `.`; at most 100 bytes. */
export function isCalendarName(text: unknown): text is string {
  return typeof text === 'string' && NAME.test(text) && Buffer.byteLength(text) <= LONGEST_NAME_BYTES;
}
