import { InvalidScheduleError } from '../../core/errors';
import { readTime } from '../../core/spec-zone';
import { asOurs, CLOCK_NOTE, split } from './quartz';
import { DAY_OF_MONTH, DAY_OF_WEEK, HOUR, MINUTE, MONTH, YEAR } from './quartz-field';
import type { Translated } from './translated';

const EVENTBRIDGE = [MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, YEAR] as const;

/**
 * Translates an expression of EventBridge: `cron(minute hour day-of-month month day-of-week year)`, `rate(5 minutes)`
 * or `at(2026-11-20T13:00:00)`. The time of `at` is local time in the zone.
 *
 * @throws {InvalidScheduleError} that names the part without a counterpart
 */
export function readEventBridge(expression: string, timezone?: string): Translated {
  const [, form, inside] = /^(cron|rate|at)\(([^()]*)\)$/.exec(expression.trim()) ?? [];
  const zone = timezone === undefined ? {} : { timezone };
  if (form === 'cron') return { spec: { cron: cronOf(inside!), ...zone }, notes: [CLOCK_NOTE] };
  if (form === 'at') return { spec: { at: instantOf(inside!, timezone ?? 'UTC'), ...zone }, notes: [] };
  if (form === 'rate') {
    return {
      spec: { intervals: [{ every: rateOf(inside!) as '5 minutes' }], ...zone },
      notes: [
        'EventBridge counts a rate from the creation or the start date; an interval here counts from 1970-01-01T00:00:00Z, or from its anchor.',
      ],
    };
  }
  throw new InvalidScheduleError(
    'expression',
    `'${expression}' is no expression of EventBridge; cron(0 10 ? * MON-FRI *), rate(5 minutes) and at(2026-11-20T13:00:00) are`,
  );
}

function cronOf(inside: string): string {
  const fields = split(inside, 'expression');
  if (fields.length !== EVENTBRIDGE.length) {
    throw new InvalidScheduleError(
      'expression',
      `cron(…) has ${fields.length} fields; EventBridge has 6: minute hour day-of-month month day-of-week year`,
    );
  }
  // In `spec.cron`, six fields begin with a second, so a seventh field is needed.
  const [year, ...others] = asOurs(EVENTBRIDGE, fields, 'expression').split(' ').reverse();
  const cron = others.reverse().join(' ');
  return year === '*' ? cron : `0 ${cron} ${year}`;
}

/** Translates a rate; EventBridge refuses `1 minutes` and `5 minute`. */
function rateOf(inside: string): string {
  const [, count, unit, plural] = /^([1-9]\d{0,8}) +(minute|hour|day)(s?)$/.exec(inside.trim()) ?? [];
  if (count === undefined || (count === '1') !== (plural === '')) {
    throw new InvalidScheduleError(
      'expression',
      `rate(${inside}) is not allowed; rate(1 minute), rate(5 minutes), rate(1 hour), rate(2 days) and the like are`,
    );
  }
  return `${count} ${unit}${plural}`;
}

function instantOf(inside: string, timezone: string): Date {
  const text = inside.trim();
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) return readTime(text, timezone, 'expression');
  throw new InvalidScheduleError(
    'expression',
    `at(${inside}) is not allowed; at(2026-11-20T13:00:00) is, without a zone`,
  );
}
