import { InvalidScheduleError } from '../errors';
import type { ScheduleSpec } from '../schedule/spec';
import type { Calendar } from './calendar/calendar';
import { CalendarGroup } from './calendar/calendar-group';
import { readCalendarSpec } from './calendar/calendar-spec';
import { FIRST_SECOND, LAST_SECOND } from './civil';
import { CompiledParts, type CompiledSpec } from './compiled';
import { readCron } from './cron/cron-ours';
import { readTemporalCron } from './cron/cron-temporal';
import { masksOf } from './days/masks';
import { type Interval, intervalFrom } from './interval';
import { onlyNullTimes } from './manual';
import { MaskedSpec } from './masked';
import { calendarOfRanges } from './ranges';
import {
  INSTANTS_AT_MOST,
  readDuration,
  readInstant,
  readJitter,
  readList,
  readWholeSecond,
  refuseUnknown,
} from './read';
import { ServerGroup } from './server/server-group';
import { show } from './show';
import { spend, withinSteps } from './steps';
import { listedZone, zoneNamed } from './zones/zones';

export type { CompiledSpec } from './compiled';

export interface CompileOptions {
  /** The values of `H` and jitter are computed from this ID, so that schedules with the same spec are spread out. */
  scheduleId?: string;
  /** Whether the caller gives the spec now. A stored spec may contain what is refused in a new one. @default false */
  given?: boolean;
}

const COMPARED_IN_A_STEP = 2;

const KEYS = [
  'cron',
  'dst',
  'at',
  'cronExpressions',
  'calendars',
  'intervals',
  'skip',
  'skipDays',
  'onlyDays',
  'calendarDays',
  'startAt',
  'endAt',
  'jitter',
  'timezone',
] as const satisfies (keyof ScheduleSpec)[];

/**
 * Compile a spec into the form that all evaluation uses. A spec that was converted to JSON and back gives the same
 * result.
 *
 * @throws {InvalidScheduleError} with the path of the bad field
 */
export function compileSpec(spec: ScheduleSpec, options: CompileOptions = {}): CompiledSpec {
  return withinSteps('spec', () => compile(spec, options));
}

function compile(spec: ScheduleSpec, options: CompileOptions): CompiledSpec {
  if (spec === null || typeof spec !== 'object' || Array.isArray(spec)) {
    throw new InvalidScheduleError('spec', `is an object such as { cron: '0 2 * * *' }, not ${show(spec)}`);
  }
  refuseUnknown(spec, KEYS, 'spec');
  const part = onlyNullTimes(spec);
  if (part) throw new InvalidScheduleError(`spec.${part}`, 'is null, and the spec has no other times');
  const crons = readTemporalCrons(spec);
  const zone = zoneNamed(crons.timezone, crons.path);
  const intervals = readList(spec.intervals, 'spec.intervals').map((i) => readInterval(i.value, i.path));
  const startAt = isGiven(spec.startAt) ? readInstant(spec.startAt, 'spec.startAt') / 1000 : FIRST_SECOND;
  const endAt = isGiven(spec.endAt) ? readInstant(spec.endAt, 'spec.endAt') / 1000 : LAST_SECOND;
  const first = Math.max(Math.floor(startAt), FIRST_SECOND);
  const temporal = [
    ...crons.calendars,
    ...readList(spec.calendars, 'spec.calendars').map((c) => calendarOfRanges(readCalendarSpec(c.value, c.path))),
  ];
  const own = readCrons(spec, options);
  const server =
    zone.isFixed || temporal.length === 0
      ? undefined
      : new ServerGroup(zone, temporal, [...crons.intervals, ...intervals], first);
  const instants = readList(spec.at, 'spec.at', INSTANTS_AT_MOST).map((at) => readWholeSecond(at.value, at.path));
  const masks = masksOf(spec, zone);
  const parts = new CompiledParts(
    {
      zone,
      calendars: [...temporal, ...own],
      own: new CalendarGroup(server === undefined ? [...temporal, ...own] : own, zone),
      server,
      skip: readList(spec.skip, 'spec.skip').map((skip) => calendarOfRanges(readCalendarSpec(skip.value, skip.path))),
      intervals: withoutContained([...crons.intervals, ...intervals]),
      instants: [...new Set(instants)].sort((a, b) => a - b),
      first,
      last: Math.min(Math.floor(endAt), LAST_SECOND),
    },
    isGiven(spec.jitter) ? readJitter(spec.jitter) : 0,
    options.scheduleId ?? '',
  );
  return masks ? new MaskedSpec(parts, masks) : parts;
}

/** The calendars of `spec.cron` for one schedule, with the values of `H` filled in. @throws {InvalidScheduleError} */
export function ownCalendars(spec: ScheduleSpec, scheduleId: string): Calendar[] {
  return withinSteps('spec', () => readCrons(spec, { scheduleId }));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function canFire(compiled: CompiledSpec, after: number): boolean {
  return compiled.next(after) !== undefined;
}

function readCrons(spec: ScheduleSpec, { scheduleId, given }: CompileOptions): Calendar[] {
  const dst = spec.dst ?? 'ONCE';
  if (dst !== 'ONCE' && dst !== 'LITERAL') {
    throw new InvalidScheduleError('spec.dst', `${show(dst)} is not allowed; 'ONCE' and 'LITERAL' are`);
  }
  return readList(spec.cron, 'spec.cron').map(({ value, path }) => readCron(value, dst, { path, scheduleId, given }));
}

/** The time zone of a spec; empty if the spec names none. @throws {InvalidScheduleError} */
export function timezoneOf(spec: ScheduleSpec): string {
  return readTemporalCrons(spec).timezone;
}

/** Reads Temporal's cron expressions, and the time zone, which an expression may name instead of `spec.timezone`. */
function readTemporalCrons(spec: ScheduleSpec) {
  const calendars: Calendar[] = [];
  const intervals: Interval[] = [];
  let timezone = listedZone(spec.timezone ?? '');
  let path = 'spec.timezone';
  let agreed: string | undefined;
  for (const { value, path: at } of readList(spec.cronExpressions, 'spec.cronExpressions')) {
    const read = readTemporalCron(value, at);
    const named = listedZone(read.timezone);
    if (agreed !== undefined && agreed !== named) {
      throw new InvalidScheduleError(
        at,
        'names another time zone than the expression before it, or none; all must name the same',
      );
    }
    agreed = named;
    if (read.calendar !== undefined) calendars.push(calendarOfRanges(read.calendar));
    if (read.interval !== undefined)
      intervals.push(checkInterval(read.interval.every, read.interval.offset, 0, [at, at]));
    if (agreed === '') continue;
    if (timezone !== '' && timezone !== agreed) {
      throw new InvalidScheduleError(at, `names ${agreed}, but spec.timezone is ${timezone}`);
    }
    timezone = agreed;
    path = at;
  }
  return { calendars, intervals, timezone, path };
}

function readInterval(value: NonNullable<ScheduleSpec['intervals']>[number], path: string): Interval {
  if (value === null || typeof value !== 'object') {
    throw new InvalidScheduleError(path, `is an interval such as { every: '1h' }, not ${show(value)}`);
  }
  refuseUnknown(value, ['every', 'offset', 'anchor'], path);
  const every = readDuration(value.every, `${path}.every`);
  const offset = value.offset === undefined || value.offset === null ? 0 : readDuration(value.offset, `${path}.offset`);
  const anchor =
    value.anchor === undefined || value.anchor === null ? 0 : readWholeSecond(value.anchor, `${path}.anchor`);
  return checkInterval(every, offset, anchor, [`${path}.every`, `${path}.offset`]);
}

/** Checks an interval in milliseconds, and truncates it to whole seconds as the server does. */
function checkInterval(
  every: number,
  offset: number,
  anchor: number,
  paths: [every: string, offset: string],
): Interval {
  if (every < 1000) throw new InvalidScheduleError(paths[0], 'an interval is at least one second');
  if (offset < 0) throw new InvalidScheduleError(paths[1], 'an offset is not negative');
  if (offset >= every) throw new InvalidScheduleError(paths[1], 'an offset is less than every');
  return intervalFrom(Math.floor(every / 1000), anchor + Math.floor(offset / 1000));
}

/** Leaves out intervals whose instants are all part of another interval. */
function withoutContained(intervals: Interval[]): Interval[] {
  spend(intervals.length ** 2 / COMPARED_IN_A_STEP);
  return intervals.filter(
    (a, i) =>
      !intervals.some((b, j) => {
        const contained = a.every % b.every === 0 && (a.phase - b.phase) % b.every === 0;
        // Of equal intervals, the first stays.
        return contained && (a.every !== b.every || j < i);
      }),
  );
}
