import { type RawBuilder, sql } from 'kysely';
import type { RulesInForce, ScheduleCondition } from '../../core/alerts';
import type { Store } from '../connection';
import type { TriggerReports } from '../trigger-reports';

/** A condition that holds of a schedule now. */
export interface Sighting {
  condition: ScheduleCondition;
  scheduleId: string;
  tenant: string;
  /** How many firings, occurrences or letters it is about. */
  count: number;
  /** What it is about: the first nominal time, or when the last letter was written. */
  at: Date;
  /** What is wrong, where the schedule itself says so. */
  detail?: string;
  /** The rule that it is against, in milliseconds, where that is a time. */
  rule?: number | null;
}

/** What the reads of a pass go by. */
export interface AlertQuery {
  now: Date;
  /** What was written before this was read by another pass. */
  from: Date;
  /** Whether no pass has run in this minute before: what costs more is read then. */
  isNewMinute: boolean;
  overdueBefore: Date;
  /** Of schedules that say nothing else. */
  rules: RulesInForce;
  /** What triggers have said for long enough to be told. */
  reports: TriggerReports;
  /** How long no trigger had polled before this one; undefined where that is not long. */
  unseenMilliseconds: number | undefined;
}

/** So many rows of a kind are read: of more it is enough to know that they are many. */
export const READ_AT_MOST = 1_000;

/** What a read has found, of schedules that are there: `schedule_id`, `count`, `at` and `rule`. */
export async function sightings(
  store: Store,
  condition: ScheduleCondition,
  found: RawBuilder<unknown>,
): Promise<Sighting[]> {
  const { rows } = await sql<Omit<Sighting, 'condition'>>`
    select x.schedule_id as "scheduleId", s.tenant, x.count, x.at, x.rule from (${found}) x
    cross join lateral (select tenant from ${store.table('schedules')} s
      where s.schedule_id = x.schedule_id and s.deleted_at is null limit 1) s
    order by x.at, x.schedule_id`.execute(store.db);
  return rows.map((row) => ({ condition, ...row }));
}
