import { type Gap, startedBefore, wholeGap } from '../../core/decisions/catchup';
import { isPauseOver, pausedThrough } from '../../core/decisions/pause';
import { millisecondsOf } from '../../core/duration';
import { InvalidOptionError, InvalidScheduleError, UnknownTimeZoneError } from '../../core/errors';
import type { CompiledSpec } from '../../core/occurrences';
import { show } from '../../core/occurrences/show';
import { readTimeOrDate, zoneOf } from '../../core/spec-zone';
import type { LockedSchedule } from '../../store/schedules/lock';
import { compiledOrRefused, unlessInvalid } from '../context';

/** How to pause a schedule. */
export interface PauseOptions {
  /** Why the schedule is paused, for people to read. @default 'Paused via Escapement' */
  note?: string;
  /**
   * When the pause ends by itself. The end may be an instant, a text such as `2026-12-24T08:00` in the schedule's zone,
   * or a duration from now, such as `'2 hours'` or a number of milliseconds.
   *
   * @default never: somebody must unpause it
   */
  until?: Date | string | number;
}

/** Ten years. A larger number was probably meant as an instant. */
const LONGEST_PAUSE_MILLISECONDS = 10 * 366 * 24 * 60 * 60 * 1_000;

/**
 * When a pause that begins now ends.
 *
 * @param askedAt when the pause was requested, from which a duration runs
 * @throws {InvalidOptionError} for anything but a time within the next ten years
 */
export function endOfPause(
  { now, definition }: Pick<LockedSchedule, 'now' | 'definition'>,
  until: PauseOptions['until'],
  askedAt = now,
): Date | undefined {
  if (until === undefined) return undefined;
  const end = readEnd(until, askedAt, zoneOf(definition.spec));
  if (end <= now) throw new InvalidOptionError('until', `${show(until)} is not in the future`);
  if (end.getTime() - now.getTime() > LONGEST_PAUSE_MILLISECONDS) {
    throw new InvalidOptionError(
      'until',
      `${show(until)} is more than ten years ahead; leave it out for a pause without an end`,
    );
  }
  return end;
}

function readEnd(until: Date | string | number, askedAt: Date, zone: string): Date {
  if (until instanceof Date) return until;
  const milliseconds = millisecondsOf(until);
  if (milliseconds !== undefined) {
    // A time too large for a Date is also too far in the future.
    return new Date(Math.min(askedAt.getTime() + Math.ceil(milliseconds), 8.64e15));
  }
  try {
    return readTimeOrDate(String(until), zone, 'until');
  } catch (error) {
    if (!(error instanceof InvalidScheduleError)) throw error;
    throw new InvalidOptionError('until', `${show(until)} is neither a time such as 2026-12-24T08:00Z nor a duration`);
  }
}

/**
 * The gaps of a paused schedule. If its definition cannot be used, occurrences before the pause get a gap of their own.
 * Its reason is `completed` if no action was left, and otherwise `set_aside`.
 */
export function pausedGaps(
  spec: CompiledSpec,
  locked: LockedSchedule,
  through: number,
  pausedFor: 'paused' | 'native' = 'paused',
): Gap[] {
  const { answeredTo, pausedAt, specError, damaged, remainingActions } = locked;
  const after = answeredTo.getTime();
  const isSetAside = specError !== null || damaged.length > 0;
  const from = isSetAside ? Math.min(through, Math.max(after, pausedAt?.getTime() ?? after)) : after;
  const before = remainingActions === 0 ? 'completed' : 'set_aside';
  const gaps = [wholeGap(spec, after, from, before), wholeGap(spec, from, through, pausedFor)];
  return gaps.filter((gap) => gap !== undefined);
}

/**
 * The compiled spec; undefined if no trigger can evaluate the stored one.
 *
 * @throws {InvalidScheduleError} if a trigger may be able to evaluate the spec, although this process cannot
 */
function compiledForAll(locked: LockedSchedule): CompiledSpec | undefined {
  try {
    return compiledOrRefused(locked);
  } catch (error) {
    const mayBeKnown = locked.isNewer || error instanceof UnknownTimeZoneError;
    if (mayBeKnown && locked.specError === null) throw error;
    return undefined;
  }
}

/**
 * The gaps for the occurrences during a pause, and the instant from which the schedule continues; undefined if no
 * trigger can evaluate the stored spec. If the pause had an end that has passed, the gaps end there: later occurrences
 * were missed, not paused.
 *
 * @throws {InvalidScheduleError} if this process does not know the time zone, or the newer form of the spec. A trigger
 *   that knows it would fire the occurrences of the pause
 */
export function answerPause(locked: LockedSchedule) {
  const compiled = compiledForAll(locked);
  if (!compiled) return undefined;
  const answeredTo = locked.answeredTo.getTime();
  const now = locked.now.getTime();
  return unlessInvalid(() => {
    // The pause does not cover occurrences whose start is delayed past now by jitter.
    const through = isPauseOver(locked, now)
      ? pausedThrough(compiled, answeredTo, locked.pausedUntil!)
      : startedBefore(compiled, now + 1);
    const next = compiled.next(Math.max(through, answeredTo));
    return {
      gaps: pausedGaps(compiled, locked, through),
      answeredTo: new Date(through),
      nextFireAt: next === undefined ? undefined : new Date(next),
    };
  });
}
