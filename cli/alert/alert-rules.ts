import { InvalidArgumentError } from 'commander';
import type { AlertRules, ScheduleAlerts } from '../../core/alert-rules';
import { durationInWords } from '../../core/duration';

export const ALERT_FLAG =
  'when an alert opens: late=1m, notDone=2h, runningLong=30m, failing=5, skipped=off, startedOften=50, parked=1h, resolvedAfter=2';

/** Adds one value of the repeated option `--alert`, such as `late=1m`, to the values before it. */
export function parseRule(value: string, previous: ScheduleAlerts = {}): ScheduleAlerts {
  const [, rule, given] = /^(\w+)=(.+)$/.exec(value) ?? [];
  if (rule === undefined) throw new InvalidArgumentError(`use a form such as 'late=1m' or 'skipped=off'.`);
  return { ...previous, [rule]: given === 'off' ? false : /^\d+$/.test(given!) ? Number(given) : given };
}

const COUNTS = ['failing', 'skipped'];

/** Alert rules in words, such as `late after 1 minute` or `skipped never`. */
export function rulesInWords(rules: AlertRules): string[] {
  return Object.entries(rules).map(([rule, value]) => {
    if (value === false) return `${rule} never`;
    if (rule === 'startedOften') return `${rule} after ${value} in an hour`;
    // Not in a row: for the alert `missed`, any completed firings count.
    if (rule === 'resolvedAfter') return `resolved after ${value} completed`;
    if (COUNTS.includes(rule)) return `${rule} after ${value} in a row`;
    return `${rule} after ${durationInWords(value)}`;
  });
}
