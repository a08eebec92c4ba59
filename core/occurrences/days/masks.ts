import type { ScheduleSpec } from '../../schedule';
import { SECONDS_PER_DAY } from '../civil';
import type { Stretch } from '../masked';
import { spend } from '../steps';
import type { Zone } from '../zones/zone';
import { namesDays } from './day-names';
import { readDays } from './read-days';

/** No offset is that large. */
const MARGIN = 2 * SECONDS_PER_DAY;
const STEPS_A_STRETCH = 10;
const SHARED_AT_MOST = 200;

/** Schedules that name the same days share them, whatever else their specs say. The oldest make room. */
const shared = new Map<string, Stretch[]>();

/** What the days of a spec leave out, as stretches of instants in order; undefined for a spec that names none. */
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
 * The instants, in epoch milliseconds, whose local date is one of some days. A day that a zone leaves out has none, and one of which a
 * part comes twice, when the clock goes back over midnight, has two stretches.
 *
 * @param days day numbers, in order and each once
 */
export function stretchesOf(days: number[], zone: Zone): Stretch[] {
  const found: Stretch[] = [];
  for (let index = 0; index < days.length; ) {
    const first = index;
    while (index < days.length && days[index] === days[first]! + index - first) index++;
    const [from, to] = [days[first]! * SECONDS_PER_DAY, (days[index - 1]! + 1) * SECONDS_PER_DAY];
    // Segments are numbered again when more of a zone is read: both ends first.
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

/** All other instants. */
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
