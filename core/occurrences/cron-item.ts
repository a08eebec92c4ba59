import { CronExpressionParser } from 'cron-parser';
import { range } from './calendar-of';
import { DAY_OF_WEEK, FIELDS, type Field, YEAR } from './fields';
import { spend } from './steps';

const cache = new Map<string, readonly (number | string)[]>();
/** Of one that is new, some 30 microseconds. */
const STEPS_AN_ITEM = 500;

/** The values of an item without names, read by cron-parser once for all who write the same. */
export function itemValues(field: Field, item: string, refuse: () => never): readonly (number | string)[] {
  // Known or not: which spec is refused must not hang on what was read before.
  spend(STEPS_AN_ITEM);
  const key = `${field.key} ${item}`;
  let found = cache.get(key);
  if (found === undefined) {
    found = read(field, item, refuse);
    if (cache.size >= 4096) cache.clear();
    cache.set(key, found);
  }
  return found;
}

function read(field: Field, item: string, refuse: () => never): readonly (number | string)[] {
  const [body, stepText] = item.split('/') as [string, string | undefined];
  const step = stepText === undefined ? 1 : Number(stepText);
  const bounds = /^\d+-\d+$/.test(body) ? body.split('-').map(Number) : undefined;
  if (bounds?.some((bound) => bound < field.min || bound > field.max)) refuse();
  if (bounds !== undefined && bounds[0]! > bounds[1]!) return wrapped(field, bounds[0]!, bounds[1]!, step);
  // The week ends on Saturday for a wildcard and for `1/2`, or cron-parser would go on to Sunday as 7.
  const last = field === DAY_OF_WEEK ? 6 : field.max;
  let plain = item;
  if (/^[*?]$/.test(body)) plain = `${field.min}-${last}/${step}`;
  else if (/^\d+$/.test(body) && stepText !== undefined) {
    if (Number(body) < field.min || Number(body) > field.max) refuse();
    plain = Number(body) > last ? body : `${body}-${last}/${step}`;
  }
  if (field === YEAR) return years(plain, refuse);
  const atoms = ['0', '0', '0', '*', '*', '*'];
  atoms[FIELDS.indexOf(field as (typeof FIELDS)[number])] = plain;
  try {
    const { fields } = CronExpressionParser.parse(atoms.join(' '));
    return fields[field.key as Exclude<Field['key'], 'year'>].values as (number | string)[];
  } catch {
    return refuse();
  }
}

/** `FRI-MON` or `22-2`: to the end of the field and on from its beginning. */
function wrapped(field: Field, from: number, to: number, step: number): number[] {
  const first = field.min;
  const size = field === DAY_OF_WEEK ? 7 : field.max - field.min + 1;
  const end = to < from ? to + size : to;
  return range(from, end, step).map((value) => ((value - first) % size) + first);
}

/** cron-parser has no years. */
function years(item: string, refuse: () => never): number[] {
  const [body, step] = item.split('/') as [string, string | undefined];
  const [from, to] = body.split('-').map(Number) as [number, number | undefined];
  if (from < YEAR.min || from > YEAR.max) refuse();
  return range(from, to ?? from, step === undefined ? 1 : Number(step));
}
