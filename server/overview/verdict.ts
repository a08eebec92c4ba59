import { severityOf } from '../../core/alert-defaults';
import { type Finding, worstFirst } from '../../doctor/finding';
import { OPEN_ALERT_CHECKS } from '../../doctor/ledger/alerts';
import type { LedgerContext } from '../../doctor/ledger/context';
import { SHORT_FIRING_CHECKS } from '../../doctor/ledger/firings';
import { SCHEDULE_CHECKS } from '../../doctor/ledger/schedules';
import { TRIGGER_CHECKS } from '../../doctor/ledger/triggers';
import { runChecks } from '../../doctor/run-checks';
import type { Alert } from '../../store/alerts/read-alerts';
import { readSettings } from '../../store/settings';

/** The state of the ledger: the worst problem in one sentence, what to do about it, and further problems. */
export interface Verdict {
  status: 'ok' | 'warning' | 'critical';
  sentence: string;
  /** What a person should do about the problem; undefined if nothing is wrong. */
  action: string | undefined;
  /** Further problems, the worst first. */
  others: { id: string; severity: 'critical' | 'warning'; text: string; action: string }[];
  /**
   * The kind of problem: the ID of the finding of `doctor`; for a tenant, the condition of its alert or `no_trigger`.
   */
  id: string | undefined;
}

const CHECKS = [...TRIGGER_CHECKS, ...SCHEDULE_CHECKS, ...SHORT_FIRING_CHECKS, ...OPEN_ALERT_CHECKS];

export async function findingsOf(context: Omit<LedgerContext, 'settings'>): Promise<Finding[]> {
  return worstFirst(await runChecks(CHECKS, { ...context, settings: await readSettings(context.store) }));
}

/** The parts of a finding that a verdict shows. */
type Told = Pick<Finding, 'severity' | 'text' | 'action'> & { id: string };

/** A tenant sees findings about its own alerts, and whether no trigger is alive. */
export function findingsOfTenant(alerts: Alert[], isAlive: boolean): Told[] {
  const told = alerts.map(({ condition, text }) => ({
    id: condition,
    severity: severityOf(condition),
    text,
    action: 'See the alert.',
  }));
  const dead = isAlive
    ? []
    : [
        {
          id: 'no_trigger',
          severity: 'critical' as const,
          text: 'No trigger has sent a heartbeat: nothing fires.',
          action: 'Contact the operators of the triggers.',
        },
      ];
  const rank = ({ severity }: { severity: string }) => (severity === 'critical' ? 0 : 1);
  return [...dead, ...told.sort((one, other) => rank(one) - rank(other))];
}

/** @param findings the worst first */
export function verdictOf(findings: Told[], allIsWell: string): Verdict {
  const [worst, ...rest] = findings;
  if (!worst) return { status: 'ok', id: undefined, sentence: allIsWell, action: undefined, others: [] };
  const others = rest.map(({ id, severity, text, action }) => ({ id, severity, text, action }));
  return { status: worst.severity, id: worst.id, sentence: worst.text, action: worst.action, others };
}
