import type { ScheduleSpec } from '../../schedule/spec';
import { SECONDS_PER_DAY } from '../civil';
import type { Stretch } from '../masked';
import { spend } from '../steps';
import type { Zone } from '../zones/zone';
import { namesDays } from './day-names';
import { readDays } from './read-days';

/** A margin in seconds that is larger than any UTC offset. */
const MARGIN = 2 * SECONDS_PER_DAY;
const STEPS_A_STRETCH = 10;
const SHARED_AT_MOST = 200;

/**
 * Schedules with the same zone and the same days share an entry. When the cache is full, its oldest entry is dropped.
 */
const shared = new Map<string, Stretch[]>();

/**
 * The ranges of instants that `skipDays` and `onlyDays` of a spec leave out, in order; undefined for a spec without
 * them.
 */
export function masksOf(spec: ScheduleSpec, zone: Zone): Stretch[] | undefined {
  const { skipDays, onlyDays, calendarDays } = spec;
  if (!namesDays(spec)) return undefined;
  const key = JSON.stringify([zone.name, skipDays, onlyDays, calendarDays]);
  const known = shared.get(key);
  if (known) return known;
  const skip = readDays(spec, 'skipDays');
  const only = readDays(spec, 'onlyDays');
  const masks = merged([...(skip ? stretchesOf(skip, zone) : []), ...(only ? around(stretchesOf(only, zone)) : [])]);
  if (shared.size === SHARED_AT_MOST) shared.delete(shared.keys().next().value!);
  shared.set(key, masks);
  return masks;
}

/**
 * The ranges of instants, in epoch milliseconds, whose local date is one of the given days. A day that does not exist
 * in a zone has no range. If the clock goes back over midnight, a part of a day repeats, so the day may have two
 * ranges.
 *
 * @param days day numbers, sorted, without duplicates
 */
export function stretchesOf(days: number[], zone: Zone): Stretch[] {
  const found: Stretch[] = [];
  for (let index = 0; index < days.length; ) {
    const first = index;
    while (index < days.length && days[index] === days[first]! + index - first) index++;
    const [from, to] = [days[first]! * SECONDS_PER_DAY, (days[index - 1]! + 1) * SECONDS_PER_DAY];
    // The zone is read at both ends first, since reading more of a zone renumbers its segments.
    zone.cover(from - MARGIN);
    zone.cover(to + MARGIN);
    for (let segment = zone.segment(from - MARGIN); segment < zone.starts.length; segment++) {
      spend(STEPS_A_STRETCH);
      if (zone.starts[segment]! > to + MARGIN) break;
      const offset = zone.offsets[segment]!;
      const begins = Math.max(zone.starts[segment]!, from - offset);
      const ends = Math.min(zone.end(segment), to - offset);
      if (begins < ends) found.push({ from: begins * 1000, to: ends * 1000 });
    }
  }
  return merged(found);
}

/** The ranges of all other instants. */
function around(stretches: Stretch[]): Stretch[] {
  const ends = [Number.NEGATIVE_INFINITY, ...stretches.map(({ to }) => to)];
  return ends.map((from, index) => ({ from, to: stretches[index]?.from ?? Number.POSITIVE_INFINITY }));
}

function merged(stretches: Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const { from, to } of stretches.sort((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last && last.to >= from) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}
