import type { AlertCondition } from '../core/alert-defaults';
import { isCredentials } from '../core/credentials';
import { durationInWords } from '../core/duration';
import type { SeenAlert } from '../store/alerts/rows';
import type { AlertQuery } from '../store/alerts/sighting';
import type { AwayNamespace } from '../store/table-values';
import { subjectOfCap } from '../store/trigger-reports';

/** Problems that triggers reported with their heartbeats, and a time without alert passes. */
export function reported(query: AlertQuery): SeenAlert[] {
  const ofNobody = { tenant: '', scheduleId: null, count: 1 };
  const seenAt = toTheMinute(query.now);
  return [
    ...unseen(query).map((text) => ({
      ...ofNobody,
      alertId: query.unseenAlertId,
      condition: 'no_trigger' as const,
      subject: 'ledger',
      text,
      seenAt: query.now,
    })),
    ...query.reports.away.map((away) => ({ ...ofNobody, ...saidOf(away), subject: away.namespace, seenAt })),
    ...query.reports.problems.map(({ condition, subject, text, scheduleIds }) => ({
      ...ofNobody,
      ...{ condition, subject, text, count: scheduleIds?.length ?? 1, seenAt },
    })),
    ...query.reports.caps.map((cap) => ({
      ...ofNobody,
      condition: 'cap_full' as const,
      subject: subjectOfCap(cap),
      text: `The cap of ${cap.perSecond} starts a second in ${subjectOfCap(cap)} has held starts back since ${cap.since}.`,
      seenAt,
    })),
  ];
}

function saidOf(away: AwayNamespace): { condition: AlertCondition; text: string } {
  const { namespace, since, error } = away;
  const text = isCredentials(away)
    ? `Namespace '${namespace}' has rejected the credentials of triggers since ${since}: ${error}. Due firings wait.`
    : `Namespace '${namespace}' has not answered, or has refused every call, since ${since}: ${error}. Due firings wait.`;
  return { condition: isCredentials(away) ? 'credentials' : 'namespace_unreachable', text };
}

function unseen({ now, unseenMilliseconds }: AlertQuery): string[] {
  if (unseenMilliseconds === undefined) return [];
  const from = new Date(now.getTime() - unseenMilliseconds).toISOString();
  return [
    `No trigger checked for problems for ${durationInWords(unseenMilliseconds)}, from ${from} on: none was alive, none reached Postgres, or the checks failed.`,
  ];
}

export function toTheMinute(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 60_000) * 60_000);
}
