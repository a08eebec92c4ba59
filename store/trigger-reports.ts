import { sql } from 'kysely';
import { isRecord } from '../core/definition/stored-definition';
import type { Store } from './connection';
import { staleBefore } from './settings';
import type { AwayNamespace, FullCap, TriggerProblem } from './table-values';
import { arrayOf } from './text';

export interface TriggerReports {
  /** Each namespace once, by the report with the oldest `since`. */
  away: AwayNamespace[];
  /** Each cap once, by the report with the oldest `since`. */
  caps: FullCap[];
  /** Each problem once, with the oldest `since` of its reports. */
  problems: TriggerProblem[];
}

export async function readTriggerReports(store: Store, now: Date): Promise<TriggerReports> {
  const { rows } = await sql<TriggerReports>`
    select ${arrayOf(sql`t.away`)} as away, ${arrayOf(sql`t.caps`)} as caps,
      ${arrayOf(sql`t.problems`)} as problems from ${store.table('triggers')} t
    where t.heartbeat_at > ${staleBefore(store, now)}`.execute(store.db);
  return {
    away: oldestOfEach(
      rows.flatMap(({ away }) => away.filter(isReport('namespace'))),
      ({ namespace }) => namespace,
    ),
    caps: oldestOfEach(
      rows.flatMap(({ caps }) => caps.filter(isReport())),
      subjectOfCap,
    ),
    problems: merged(
      rows.flatMap(({ problems }) => problems.filter(isReport('condition', 'subject', 'text', 'action'))),
    ),
  };
}

/** Whether this version can read what another trigger has reported. @param texts fields that must be texts */
function isReport(...texts: string[]): (said: unknown) => boolean {
  return (said) =>
    isRecord(said) &&
    ['since', ...texts].every((field) => typeof said[field] === 'string') &&
    !Number.isNaN(Date.parse(String(said.since)));
}

export function subjectOfCap(cap: FullCap): string {
  return 'namespace' in cap ? `namespace '${cap.namespace}'` : `task queue '${cap.taskQueue}'`;
}

/**
 * Merge several triggers' reports of one problem: the result is the report with the oldest `since`, with the schedules
 * of all reports.
 */
function merged(problems: TriggerProblem[]): TriggerProblem[] {
  const nameOf = ({ condition, subject }: TriggerProblem) => `${condition} ${subject}`;
  return oldestOfEach(problems, nameOf).map((problem) => {
    const same = problems.filter((one) => nameOf(one) === nameOf(problem));
    const scheduleIds = new Set(same.flatMap((one) => (Array.isArray(one.scheduleIds) ? one.scheduleIds : [])));
    return scheduleIds.size === 0 ? problem : { ...problem, scheduleIds: [...scheduleIds] };
  });
}

function oldestOfEach<One extends { since: string }>(said: One[], nameOf: (one: One) => string): One[] {
  const oldest = new Map<string, One>();
  for (const one of said) {
    const known = oldest.get(nameOf(one));
    if (!known || new Date(one.since) < new Date(known.since)) oldest.set(nameOf(one), one);
  }
  return [...oldest.values()];
}
