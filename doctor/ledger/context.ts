import type { Store } from '../../store/connection';
import type { LedgerSettings } from '../../store/settings';
import type { TriggerReports } from '../../store/trigger-reports';
import type { AliveTrigger } from '../../store/triggers';

/** What checks of the ledger may use. */
export interface LedgerContext {
  store: Store;
  /** The current time, from the clock of the database or of a test. */
  now: Date;
  settings: LedgerSettings;
  /** Triggers with a recent heartbeat. */
  triggers: AliveTrigger[];
  /** What the live triggers report about Temporal, Postgres and their hosts. */
  reports: TriggerReports;
  /** Whether there is any schedule that should fire. */
  hasSchedules: boolean;
}

/** The instant that is this long before now. */
export function before({ now }: Pick<LedgerContext, 'now'>, milliseconds: number): Date {
  return new Date(now.getTime() - milliseconds);
}

export const MINUTE = 60_000;
