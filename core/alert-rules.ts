import type { Duration } from '@temporalio/common';
import { z } from 'zod';
import { millisecondsOf } from './duration';
import { duration } from './option-fields';

/**
 * When alerts of a schedule open. What is left out goes by what the ledger has for all, else by the default; `false` never opens
 * one.
 *
 * @see `docs/alerts.md`
 */
export interface ScheduleAlerts {
  /**
   * A firing is not started so long after its time.
   *
   * @default '30 seconds'
   * @format number of milliseconds or ms-formatted string
   */
  late?: Duration | false;
  /**
   * A firing has not ended so long after its time, or has not begun.
   *
   * @default false
   * @format number of milliseconds or ms-formatted string
   */
  notDone?: Duration | false;
  /**
   * A workflow has run for so long.
   *
   * @default three times as long as the longest of the last ten that completed, and for a minute at least; not before five have
   * @format number of milliseconds or ms-formatted string
   */
  runningLong?: Duration | false;
  /** So many firings in a row failed or timed out, 1 to 100. @default 3 */
  failing?: number | false;
  /** So many firings in a row were skipped since another one ran, 1 to 100. @default 3 */
  skipped?: number | false;
  /**
   * So many times within an hour it was started by hand or by a program, beside what its spec asks for; 1 to 10,000. Never of a
   * schedule without times.
   *
   * @default 10
   */
  startedOften?: number | false;
  /**
   * A step has been parked for so long.
   *
   * @default '1 day'
   * @format number of milliseconds or ms-formatted string
   */
  parked?: Duration | false;
  /** So many firings in a row are to complete before `failing` and `missed` are over, 1 to 100. @default 1 */
  resolvedAfter?: number;
}

/** The same as it is stored: what is given, in milliseconds. */
export interface AlertRules {
  /** Milliseconds. */
  late?: number | false;
  /** Milliseconds. */
  notDone?: number | false;
  /** Milliseconds. */
  runningLong?: number | false;
  /** Firings in a row. */
  failing?: number | false;
  /** Firings in a row. */
  skipped?: number | false;
  /** Starts within an hour. */
  startedOften?: number | false;
  /** Milliseconds. */
  parked?: number | false;
  /** Firings in a row. */
  resolvedAfter?: number;
}

const DURATIONS = ['late', 'notDone', 'runningLong', 'parked'] as const;

/** Triggers check no more often. */
export const SHORTEST_RULE_MILLISECONDS = 5_000;
const MOST_IN_A_ROW = 100;
const MOST_AN_HOUR = 10_000;

const orNever = z
  .union([duration, z.literal(false)], { error: 'is neither a duration nor false' })
  .refine((value) => value === false || millisecondsOf(value as Duration)! >= SHORTEST_RULE_MILLISECONDS, {
    error: 'is shorter than five seconds: triggers check no more often',
  });
const inARow = z.int().min(1).max(MOST_IN_A_ROW);
const inARowOrNever = z.union([inARow, z.literal(false)], {
  error: `is neither a whole number from 1 to ${MOST_IN_A_ROW} nor false`,
});
const anHourOrNever = z.union([z.int().min(1).max(MOST_AN_HOUR), z.literal(false)], {
  error: 'is neither a whole number from 1 to 10,000 nor false',
});

/** What a definition and the ledger's settings take. */
export const alertRules = z.strictObject({
  late: orNever.optional(),
  notDone: orNever.optional(),
  runningLong: orNever.optional(),
  failing: inARowOrNever.optional(),
  skipped: inARowOrNever.optional(),
  startedOften: anHourOrNever.optional(),
  parked: orNever.optional(),
  resolvedAfter: inARow.optional(),
});

/** As they are stored; undefined where none is given. */
export function storedRules(given: ScheduleAlerts | undefined): AlertRules | undefined {
  const rules = Object.entries(given ?? {}).flatMap(([rule, value]) => {
    if (value === undefined) return [];
    const isDuration = DURATIONS.some((one) => one === rule) && value !== false;
    return [[rule, isDuration ? millisecondsOf(value) : value]];
  });
  return rules.length === 0 ? undefined : Object.fromEntries(rules);
}
