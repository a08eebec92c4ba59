import type { Duration } from '@temporalio/common';
import { z } from 'zod';
import { millisecondsOf } from './duration';
import { duration } from './option-fields';

/**
 * When to open alerts of a schedule. A rule that is left out uses the ledger's setting, or else the default. With
 * `false`, the rule never opens an alert.
 *
 * @see `docs/alerts.md`
 */
export interface ScheduleAlerts {
  /**
   * Alert if a firing has not started this long after it could start: its wait for an earlier firing does not count.
   * Backfills, restarts of workflows and firings that were run again never get this alert.
   *
   * @default '30 seconds'
   * @format number of milliseconds or ms-formatted string
   */
  late?: Duration | false;
  /**
   * Alert if a firing of the spec has not ended this long after its time, even if it has not begun.
   *
   * @default false
   * @format number of milliseconds or ms-formatted string
   */
  notDone?: Duration | false;
  /**
   * Alert if a workflow has run this long.
   *
   * @default three times the longest duration of the last ten completed workflows of 100 firings, at least a minute; no
   *   alert before five have completed
   * @format number of milliseconds or ms-formatted string
   */
  runningLong?: Duration | false;
  /** Alert after this many failed or timed-out firings in a row, 1 to 100. @default 3 */
  failing?: number | false;
  /** Alert after this many firings in a row were skipped because an earlier one was open, 1 to 100. @default 3 */
  skipped?: number | false;
  /**
   * Alert if the schedule was triggered more often than this within an hour, in addition to its spec; 1 to 10,000.
   * Backfills do not count. A schedule without times never gets this alert.
   *
   * @default 10
   */
  startedOften?: number | false;
  /**
   * Alert if a step has been parked this long.
   *
   * @default '1 day'
   * @format number of milliseconds or ms-formatted string
   */
  parked?: Duration | false;
  /**
   * How many firings must complete before `failing` (in a row) and `missed` end, 1 to 100.
   *
   * @default 1
   */
  resolvedAfter?: number;
}

/** The alert rules in stored form: only rules that were given, with times in milliseconds. */
export interface AlertRules {
  /** The rule `late`, in milliseconds. */
  late?: number | false;
  /** The rule `notDone`, in milliseconds. */
  notDone?: number | false;
  /** The rule `runningLong`, in milliseconds. */
  runningLong?: number | false;
  /** The rule `failing`: a number of firings in a row. */
  failing?: number | false;
  /** The rule `skipped`: a number of firings in a row. */
  skipped?: number | false;
  /** The rule `startedOften`: the highest number of manual firings within an hour without an alert. */
  startedOften?: number | false;
  /** The rule `parked`, in milliseconds. */
  parked?: number | false;
  /** The rule `resolvedAfter`: a number of firings. */
  resolvedAfter?: number;
}

const DURATIONS = ['late', 'notDone', 'runningLong', 'parked'] as const;

export const SHORTEST_RULE_MILLISECONDS = 5_000;
const MOST_IN_A_ROW = 100;
const MOST_AN_HOUR = 10_000;

const orNever = z
  .union([duration, z.literal(false)], { error: 'is neither a duration nor false' })
  .refine((value) => value === false || millisecondsOf(value as Duration)! >= SHORTEST_RULE_MILLISECONDS, {
    error: 'is shorter than five seconds, the shortest that a rule may be',
  });
/**
 * Each bound aborts the validation. For a number out of bounds, a union that contains this check then reports its own
 * error message.
 */
const upTo = (most: number) => z.int().min(1, { abort: true }).max(most, { abort: true });
const inARow = upTo(MOST_IN_A_ROW);
const inARowOrNever = z.union([inARow, z.literal(false)], {
  error: `is neither a whole number from 1 to ${MOST_IN_A_ROW} nor false`,
});
const anHourOrNever = z.union([upTo(MOST_AN_HOUR), z.literal(false)], {
  error: 'is neither a whole number from 1 to 10,000 nor false',
});

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

export function storedRules(given: ScheduleAlerts | undefined): AlertRules | undefined {
  const rules = Object.entries(given ?? {}).flatMap(([rule, value]) => {
    if (value === undefined) return [];
    const isDuration = DURATIONS.some((one) => one === rule) && value !== false;
    return [[rule, isDuration ? millisecondsOf(value) : value]];
  });
  return rules.length === 0 ? undefined : Object.fromEntries(rules);
}
