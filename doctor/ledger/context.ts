import type { Store } from '../../store/connection';
import type { LedgerSettings } from '../../store/settings';
import type { TriggerReports } from '../../store/trigger-reports';
import type { AliveTrigger } from '../../store/triggers';

export interface LedgerContext {
  store: Store;
  /** The current time, from the clock of the database or of a test. */
  now: Date;
  settings: LedgerSettings;
  triggers: AliveTrigger[];
  reports: TriggerReports;
  /** Whether there is any schedule that should fire. */
  hasSchedules: boolean;
}

export function before({ now }: Pick<LedgerContext, 'now'>, milliseconds: number): Date {
  return new Date(now.getTime() - milliseconds);
}

export const MINUTE = 60_000;
