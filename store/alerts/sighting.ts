import { type RawBuilder, sql } from 'kysely';
import type { RulesInForce, ScheduleCondition } from '../../core/alert-defaults';
import type { Store } from '../connection';
import type { TriggerReports } from '../trigger-reports';
import type { Places } from './pages';

export interface Sighting {
  condition: ScheduleCondition;
  scheduleId: string;
  tenant: string;
  /** The number of firings, occurrences or letters in this condition. */
  count: number;
  /** The first nominal time in this condition, or when its last letter was written. */
  at: Date;
  /** A text about the problem, if a row contains one. */
  detail?: string | null;
  /** The limit that was exceeded, in milliseconds, if the limit is a duration. */
  rule?: number | null;
}

export interface AlertQuery {
  now: Date;
  /** An earlier pass has read everything that was written before `from`. */
  from: Date;
  /** Whether this is the first alert pass of this minute: the expensive reads run only then. */
  isNewMinute: boolean;
  overdueBefore: Date;
  /** The rules of schedules that have no rules of their own. */
  rules: RulesInForce;
  /** The schedules whose waiting firings a freeze holds. */
  frozen: string[];
  /** Problems that triggers have reported for long enough to raise alerts. */
  reports: TriggerReports;
  /** How long no trigger had polled before this one; undefined if that time was short. */
  unseenMilliseconds: number | undefined;
  /**
   * How many schedules to read of those in a condition that lasts: first those without an open alert, the longest first.
   * In a backlog of all schedules, each pass opens that many alerts.
   */
  schedulesAtMost: number;
  /** Where the reads of many rows go on. Each of them writes its new place. */
  places: Places;
}

/** How many schedules, or calendars, a read returns at most. */
export const SCHEDULES_READ_AT_MOST = 1_000;
/** How many firings or letters a read looks at, in the order of an index. */
export const ROWS_READ_AT_MOST = 20_000;

/**
 * The rows of a read, limited to schedules that still exist: `schedule_id`, `count`, `at` and `rule`. `detail` names a
 * further column to read.
 *
 * @param options.schedulesAtMost the default is all. A condition that one write begins has no limit, since no later pass
 * reads that write again
 */
export async function sightings(
  store: Store,
  condition: ScheduleCondition,
  found: RawBuilder<unknown>,
  {
    detail = sql<string | null>`null::text`,
    schedulesAtMost,
  }: { detail?: RawBuilder<string | null> } & Partial<Pick<AlertQuery, 'schedulesAtMost'>> = {},
): Promise<Sighting[]> {
  const { rows } = await sql<Omit<Sighting, 'condition'>>`
    select x.schedule_id as "scheduleId", s.tenant, x.count, x.at, x.rule, ${detail} as detail from (${found}) x
    cross join lateral (select tenant from ${store.table('schedules')} s
      where s.schedule_id = x.schedule_id and s.deleted_at is null limit 1) s
    order by ${schedulesAtMost === undefined ? sql`` : sql`${hasAlert(store, condition)},`} x.at, x.schedule_id
    limit ${schedulesAtMost ?? null}`.execute(store.db);
  return rows.map((row) => ({ condition, ...row }));
}

/** Whether schedule `x` already has an alert that is open: then it needs no sighting. */
function hasAlert(store: Store, condition: ScheduleCondition): RawBuilder<boolean> {
  return sql`exists (select from ${store.table('alerts')} a
    where a.condition = ${condition} and a.subject = x.schedule_id and a.resolved_at is null)`;
}
