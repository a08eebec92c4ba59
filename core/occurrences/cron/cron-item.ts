import { range } from '../calendar/calendar-of';
import { DAY_OF_WEEK, type Field } from '../fields';
import { spend } from '../steps';

const STEPS_AN_ITEM = 50;
const STEPS_A_VALUE = 3;

/** The values of one item of a field, such as `5`, `1-5`, `*` or `10/15`; undefined if one is out of range. */
export function itemValues(field: Field, body: string, step: number | undefined): number[] | undefined {
  const by = step ?? 1;
  // For a wildcard and for `1/2`, the week ends on Saturday: with 7 as its end, Sunday could occur twice.
  const last = field === DAY_OF_WEEK ? 6 : field.max;
  const [first, end] = /^[*?]$/.test(body) ? [field.min, last] : (body.split('-').map(Number) as [number, number?]);
  if (!isIn(field, first) || (end !== undefined && !isIn(field, end))) return undefined;
  const values =
    end !== undefined && first > end
      ? wrapped(field, first, end, by)
      : range(first, end ?? (step === undefined ? first : Math.max(first, last)), by);
  spend(STEPS_AN_ITEM + values.length * STEPS_A_VALUE);
  return values;
}

function isIn({ min, max }: Field, value: number): boolean {
  return value >= min && value <= max;
}

/**
 * The values of a range that goes past the end of its field, such as `FRI-MON` or `22-2`: to the end of the field, then
 * from its beginning.
 */
function wrapped(field: Field, from: number, to: number, step: number): number[] {
  const first = field.min;
  const size = field === DAY_OF_WEEK ? 7 : field.max - field.min + 1;
  return range(from, to + size, step).map((value) => ((value - first) % size) + first);
}
