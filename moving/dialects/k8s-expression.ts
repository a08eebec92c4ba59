import { InvalidScheduleError } from '../../core/errors';
import type { ScheduleSpec } from '../../core/schedule/spec';

const ZONE = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/;
const EVERY = /^@every\s+(\S+)$/;
const WILDCARD = /(?:^|,)[*?](?:\/0*1)?(?:,|$)/;
const GO_DURATION = /(\d+(?:\.\d+)?)(h|ms|m|s)/g;
const SECONDS: Record<string, number> = { h: 3_600, m: 60, s: 1, ms: 0.001 };

export interface CronJobSpec {
  spec: ScheduleSpec;
  became: string[];
  decide: string[];
}

/**
 * Translates the `schedule` of a CronJob as the Kubernetes controller reads it.
 *
 * @throws {InvalidScheduleError} that names the part without a counterpart
 */
export function cronJobSpec(schedule: string, timeZone: string | undefined): CronJobSpec {
  const [, inside, without] = ZONE.exec(schedule.trim()) ?? [];
  const zone = timeZone ?? inside;
  const expression = (without ?? schedule).trim();
  const decide: string[] = [];
  if (zone === undefined)
    decide.push('the controller read this in its own zone, and here it is UTC: set spec.timezone');
  const became = zone === undefined ? [] : [`${timeZone === undefined ? 'TZ' : 'timeZone'} ${zone} -> spec.timezone`];
  const timezone = zone === undefined ? {} : { timezone: zone };
  const every = EVERY.exec(expression)?.[1];
  if (every !== undefined) {
    became.push(`schedule ${expression} -> spec.intervals`);
    decide.push(
      'the controller counted @every from the last run, or else the creation of the CronJob; an interval counts from 1970, or from its anchor',
    );
    return { spec: { intervals: [{ every: millisecondsOf(every) }], ...timezone }, became, decide };
  }
  if (!expression.startsWith('@') && expression.split(/\s+/).length !== 5) {
    throw new InvalidScheduleError('schedule', `'${schedule}' has not five fields`);
  }
  if (/[LWH#~]/i.test(expression.replace(/[A-Za-z]{3,}/g, ''))) {
    throw new InvalidScheduleError('schedule', `'${schedule}' has what no CronJob has: L, W, H, # or ~`);
  }
  const cron = withWildcardDays(expression);
  became.push(`schedule ${expression} -> spec.cron`);
  // UTC has no days with a clock change.
  if (zone === undefined || /^(etc\/)?utc$/i.test(zone)) return { spec: { cron, ...timezone }, became, decide };
  became.push(
    'where the clock changes, a missing time was left out and a repeated one ran twice -> dst LITERAL; ONCE runs each once',
  );
  return { spec: { cron, ...timezone, dst: 'LITERAL' }, became, decide };
}

/**
 * The controller's library takes a day field for a wildcard if any item of its list is one. `spec.cron` does so only if
 * the whole field is one.
 */
function withWildcardDays(expression: string): string {
  const fields = expression.split(/\s+/);
  return fields.map((field, place) => ((place === 2 || place === 4) && WILDCARD.test(field) ? '*' : field)).join(' ');
}

/** Reads a duration of Go, cut to whole seconds; the result is in milliseconds. */
function millisecondsOf(duration: string): number {
  const parts = [...duration.matchAll(GO_DURATION)];
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * SECONDS[unit!]!, 0);
  if (parts.map(([part]) => part).join('') !== duration || seconds < 1) {
    throw new InvalidScheduleError('schedule', `@every ${duration} is no duration of a second or more`);
  }
  return Math.floor(seconds) * 1_000;
}
