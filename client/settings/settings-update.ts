import type { Duration } from '@temporalio/common';
import type { ScheduleAlerts } from '../../core/alert-rules';

/** The settings to change. A setting that is left out stays as it is. `@default` says what a new ledger has. */
export interface LedgerSettingsUpdate {
  /**
   * Age of a trigger's last heartbeat at which other triggers take it for dead and recover its starts: 5 seconds to 1
   * hour. @default '10 seconds'
   */
  staleAfter?: Duration;
  /** How long firings are kept at least; `Infinity` to keep them forever. @default '90 days' */
  retention?: Duration;
  /** Whether months past retention stay until `escapement archive` has written them to files. @default false */
  archiveFirst?: boolean;
  /**
   * The ledger's alert rules. They apply where a schedule's own rules say nothing. The value replaces all ledger rules
   * set before. @default the default of each field
   */
  alerts?: ScheduleAlerts;
}
