import type { ScheduleSpec } from '../../schedule/spec';

export const DAY_PARTS = ['skipDays', 'onlyDays'] as const satisfies (keyof ScheduleSpec)[];

const LONGEST_NAME_BYTES = 100;
/** The pattern excludes texts that could be read as a date, an option or two names. */
const NAME = /^\p{L}[\p{L}\p{N}_.-]*$/u;

export function namesDays(spec: ScheduleSpec): boolean {
  return DAY_PARTS.some((part) => spec[part] !== undefined && spec[part] !== null);
}

export function isCalendarName(text: unknown): text is string {
  return typeof text === 'string' && NAME.test(text) && Buffer.byteLength(text) <= LONGEST_NAME_BYTES;
}
