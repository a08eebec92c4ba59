import { range } from '../calendar/calendar-of';
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field } from '../fields';
import { hash32 } from '../hash';

/** The forms of `H`: `H`, `H(9-17)`, `H/15`, `H(0-29)/10`. */
export const HASHED = /^H(?:\((\d+)-(\d+)\))?(?:\/(\d+))?$/;

/**
 * The values that `H` has in one field of a schedule's expression. `h` is `hash32(scheduleId + '\n' + field)`. The
 * range first..last is the whole field unless it is given; for days of the month it is 1-28, so that every month has a
 * match. `H` is `first + (h mod size)`. `H/n` means every n-th value from `first + (h mod min(n, size))` on.
 */
export function hashedValues(
  field: Field,
  scheduleId: string,
  given: { first: number; last: number } | undefined,
  step: number | undefined,
): number[] {
  const { first, last } = given ?? ownRange(field);
  const size = last - first + 1;
  const hash = hash32(`${scheduleId}\n${field.key}`);
  if (step === undefined) return [first + (hash % size)];
  return range(first + (hash % Math.min(step, size)), last, step);
}

function ownRange(field: Field): { first: number; last: number } {
  if (field === DAY_OF_MONTH) return { first: 1, last: 28 };
  if (field === DAY_OF_WEEK) return { first: 0, last: 6 };
  return { first: field.min, last: field.max };
}
