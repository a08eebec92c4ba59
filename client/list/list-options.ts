import type { FiringFilter } from '../../store/reads/firing-filter';
import type { FiringOrder } from '../../store/reads/list-firings';
import type { ScheduleOrder } from '../../store/reads/list-schedules';
import type { ScheduleFilter } from '../../store/reads/schedule-filter';

/** Which live schedules to list, and in which order. */
export interface ListSchedulesOptions extends ScheduleFilter {
  /**
   * A filter in the grammar of Temporal's list filters, over the fields of a schedule and its search attributes:
   * `TemporalSchedulePaused = true AND (Team IN ('billing', 'ops') OR taskQueue STARTS_WITH 'eu-')`.
   *
   * @default none
   * @see `docs/listing.md`
   */
  query?: string | undefined;
  /** Order by ID, or by next fire time. @default 'scheduleId' */
  orderBy?: ScheduleOrder | undefined;
  /** Number of schedules per query. @default 200 */
  pageSize?: number | undefined;
}

/** Which firings to list, and in which order. */
export interface ListFiringsOptions extends FiringFilter {
  /** Which nominal times come first. @default 'newest' */
  order?: FiringOrder | undefined;
  /** Number of firings per query. @default 200 */
  pageSize?: number | undefined;
}
