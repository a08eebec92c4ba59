import { type Finding, worstFirst } from '../../doctor/finding';
import { OPEN_ALERT_CHECKS } from '../../doctor/ledger/alerts';
import type { LedgerContext } from '../../doctor/ledger/context';
import { FIRING_CHECKS } from '../../doctor/ledger/firings';
import { SCHEDULE_CHECKS } from '../../doctor/ledger/schedules';
import { TRIGGER_CHECKS } from '../../doctor/ledger/triggers';
import { runChecks } from '../../doctor/run-checks';
import type { Alert } from '../../store/alerts/read-alerts';
import { readSettings } from '../../store/settings';

/** One sentence on how all is, the worst first. */
export interface Verdict {
  status: 'ok' | 'warning' | 'critical';
  sentence: string;
  /** What to do about it; undefined where nothing is wrong. */
  action: string | undefined;
  /** What else is wrong, the worst first. */
  others: { id: string; severity: 'critical' | 'warning'; text: string; action: string }[];
  /** What kind of thing the sentence is about, by the name that doctor has for it. */
  id: string | undefined;
}

const CHECKS = [...TRIGGER_CHECKS, ...SCHEDULE_CHECKS, ...FIRING_CHECKS, ...OPEN_ALERT_CHECKS];

/** What doctor finds in the ledger. */
export async function findingsOf(context: Omit<LedgerContext, 'settings'>): Promise<Finding[]> {
  return worstFirst(await runChecks(CHECKS, { ...context, settings: await readSettings(context.store) }));
}

/** What a reader is told of a finding. */
type Told = Pick<Finding, 'severity' | 'text' | 'action'> & { id: string };

/** Conditions by which something does not fire, or is late, now. */
const CRITICAL = new Set(['overdue', 'late', 'no_trigger', 'schedule_set_aside', 'namespace_unreachable', 'not_done']);

/** What a tenant is told: its own alerts, and that nothing fires. */
export function findingsOfTenant(alerts: Alert[], isAlive: boolean): Told[] {
  const told = alerts.map(({ condition, text }) => ({
    id: condition,
    severity: CRITICAL.has(condition) ? ('critical' as const) : ('warning' as const),
    text,
    action: 'See the alert.',
  }));
  const dead = isAlive
    ? []
    : [
        {
          id: 'no_trigger',
          severity: 'critical' as const,
          text: 'No trigger gives a sign of life: nothing fires.',
          action: 'Tell whoever runs the triggers.',
        },
      ];
  const rank = ({ severity }: { severity: string }) => (severity === 'critical' ? 0 : 1);
  return [...dead, ...told.sort((one, other) => rank(one) - rank(other))];
}

/** The findings as a verdict. */
export function verdictOf(findings: Told[], allIsWell: string): Verdict {
  const [worst, ...rest] = findings;
  if (!worst) return { status: 'ok', id: undefined, sentence: allIsWell, action: undefined, others: [] };
  const others = rest.map(({ id, severity, text, action }) => ({ id, severity, text, action }));
  return { status: worst.severity, id: worst.id, sentence: worst.text, action: worst.action, others };
}
