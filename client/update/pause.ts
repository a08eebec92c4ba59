import { gapOver, startedBefore } from '../../core/decisions/catchup';
import { isPauseOver, pausedThrough } from '../../core/decisions/pause';
import { millisecondsOf } from '../../core/duration';
import { InvalidOptionError, InvalidScheduleError } from '../../core/errors';
import { show } from '../../core/occurrences/show';
import { readTimeOrDate, zoneOf } from '../../core/spec-zone';
import type { LockedSchedule } from '../../store/schedules/lock';
import { compileStored, unlessInvalid } from '../context';

/** How a schedule is paused. */
export interface PauseOptions {
  /** Why, for people. @default 'Paused via Escapement' */
  note?: string;
  /**
   * When the pause ends by itself: an instant, a text such as `2026-12-24T08:00` in the schedule's zone, or a duration from now
   * such as `'2 hours'`, in milliseconds where it is a number.
   *
   * @default never: somebody unpauses it
   */
  until?: Date | string | number;
}

/** A number that is more than this was meant to be an instant. */
const LONGEST_PAUSE_MILLISECONDS = 10 * 366 * 24 * 60 * 60 * 1_000;

/** When a pause that begins now ends. @throws {InvalidOptionError} for what is no time to come */
export function endOfPause(
  { now, definition }: Pick<LockedSchedule, 'now' | 'definition'>,
  until: PauseOptions['until'],
): Date | undefined {
  if (until === undefined) return undefined;
  const end = readEnd(until, now, zoneOf(definition.spec));
  if (end <= now) throw new InvalidOptionError('until', `${show(until)} is not in the future`);
  if (end.getTime() - now.getTime() > LONGEST_PAUSE_MILLISECONDS) {
    throw new InvalidOptionError('until', `${show(until)} is more than ten years ahead; leave it out for no end`);
  }
  return end;
}

function readEnd(until: Date | string | number, now: Date, zone: string): Date {
  if (until instanceof Date) return until;
  const milliseconds = millisecondsOf(until);
  if (milliseconds !== undefined) {
    // Beyond what a Date can be it is far ahead all the same.
    return new Date(Math.min(now.getTime() + Math.ceil(milliseconds), 8.64e15));
  }
  try {
    return readTimeOrDate(String(until), zone, 'until');
  } catch (error) {
    if (!(error instanceof InvalidScheduleError)) throw error;
    throw new InvalidOptionError('until', `${show(until)} is neither a time such as 2026-12-24T08:00Z nor a duration`);
  }
}

/**
 * The gap over a pause, and where the schedule goes on; undefined when the stored spec cannot be evaluated. Of a pause that was
 * over already, and that no trigger came to, what came after its end was missed and not paused.
 */
export function answerPause(locked: LockedSchedule) {
  const compiled = compileStored(locked);
  if (!compiled) return undefined;
  const answeredTo = locked.answeredTo.getTime();
  const now = locked.now.getTime();
  return unlessInvalid(() => {
    // What waits for its jitter is still to come.
    const through = isPauseOver(locked, now)
      ? pausedThrough(compiled, answeredTo, locked.pausedUntil!)
      : startedBefore(compiled, now + 1);
    const next = compiled.next(Math.max(through, answeredTo));
    return {
      gap: gapOver(compiled, answeredTo, through, 'paused'),
      answeredTo: new Date(through),
      nextFireAt: next === undefined ? undefined : new Date(next),
    };
  });
}
