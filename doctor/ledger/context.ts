import type { Store } from '../../store/connection';
import type { LedgerSettings } from '../../store/settings';
import type { TriggerReports } from '../../store/trigger-reports';
import type { AliveTrigger } from '../../store/triggers';

/** What the checks of the ledger go by. */
export interface LedgerContext {
  store: Store;
  /** By the clock of the database, or of a test. */
  now: Date;
  settings: LedgerSettings;
  /** Triggers with a sign of life that is not too old. */
  triggers: AliveTrigger[];
  /** What these say of Temporal, of Postgres and of their hosts. */
  reports: TriggerReports;
  /** Whether any schedule is there that is to fire. */
  hasSchedules: boolean;
}

/** So long before now. */
export function before({ now }: Pick<LedgerContext, 'now'>, milliseconds: number): Date {
  return new Date(now.getTime() - milliseconds);
}

export const MINUTE = 60_000;
