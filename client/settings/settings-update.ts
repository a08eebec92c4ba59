import type { Duration } from '@temporalio/common';
import type { ScheduleAlerts } from '../../core/alert-rules';

/** What is to be changed of the settings; what is left out stays as it is. */
export interface LedgerSettingsUpdate {
  /**
   * How old a trigger's last heartbeat is when others take it for dead, and take over what it was about to start. 5 seconds to
   * 1 hour. @default '10 seconds'
   */
  staleAfter?: Duration;
  /** How long firings are kept; `Infinity` for ever. @default '90 days' */
  retention?: Duration;
  /** Whether months past retention stay until `escapement archive` has written them into files. @default false */
  archiveFirst?: boolean;
  /** When alerts open of schedules that say nothing else; replaces what was set before. @default each field's own */
  alerts?: ScheduleAlerts;
}
