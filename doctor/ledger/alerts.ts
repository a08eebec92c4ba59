import { ALERT_RULES, type ScheduleCondition, severityOf } from '../../core/alert-defaults';
import { readFailing } from '../../store/alerts/letter-sightings';
import type { Places } from '../../store/alerts/pages';
import { readAlerts } from '../../store/alerts/read-alerts';
import type { Sighting } from '../../store/alerts/sighting';
import { type Check, countedWith, type Finding, some } from '../finding';
import { before, type LedgerContext } from './context';

export const LISTED_AT_MOST = 10_000;
/** Failures older than this are not read. A monthly schedule fires again within this time. */
const FAILED_SINCE_MILLISECONDS = 35 * 86_400_000;

/** What a finding says about the schedules in one condition. */
type Told = Omit<Finding, 'text' | 'severity'> & {
  id: ScheduleCondition;
  /** The text. `readAtMost` equals the count if there may be more schedules; otherwise it is undefined. */
  said: (schedules: number, names: string, readAtMost: number | undefined) => string;
};

/** The conditions that no other check looks for. */
const TOLD: Told[] = [
  {
    id: 'not_done',
    said: (count, names, atMost) =>
      `${countedWith(count, 'schedule', ['has', 'have'], atMost)} a firing past its deadline: ${names}.`,
    action: `Run 'escapement explain' to see why; 'escapement alert list' shows the time of the firing.`,
    runBook: 'late-firings',
  },
  {
    id: 'missed',
    said: (count, names, atMost) =>
      `${countedWith(count, 'schedule', ['has', 'have'], atMost)} missed occurrences, and completed too few since: ${names}.`,
    action: `Fire what is still needed: 'escapement schedule backfill', or 'escapement firing run-again'.`,
    runBook: 'nothing-fires',
  },
  {
    id: 'recovered',
    said: (count, names, atMost) =>
      `${countedWith(count, 'schedule', ['has', 'have'], atMost)} a firing that triggers took over more than once: ${names}.`,
    action:
      'Read the logs of the triggers: they die or hang while they start it, or Temporal refuses its start or does not answer.',
    runBook: 'nothing-fires',
  },
  {
    id: 'running_long',
    said: (count, names, atMost) =>
      `${countedWith(count, 'schedule', ['has', 'have'], atMost)} a workflow that has run for a long time: ${names}.`,
    action: 'Check in the Temporal UI what it waits for.',
    runBook: 'workers',
  },
  {
    id: 'failing',
    said: (count, names, atMost) =>
      `${countedWith(count, 'schedule', ['has', 'have'], atMost)} failed several times in a row: ${names}.`,
    action: `Read why: 'escapement dead-letter groups'.`,
    runBook: 'a-poison-step',
  },
  {
    id: 'started_often',
    said: (count, names, atMost) =>
      `${countedWith(count, 'schedule', ['was', 'were'], atMost)} started more often than the spec asks for: ${names}.`,
    action: `'escapement firing list --kind manual --json' has who starts it, as actor. If that is intended, give the schedule its own alert rule.`,
    runBook: 'schedules-that-do-not-fire',
  },
  {
    id: 'skipped',
    said: (count, names, atMost) =>
      `${countedWith(count, 'schedule', ['was', 'were'], atMost)} skipped several times in a row, since another firing ran: ${names}.`,
    action:
      'Check how long its workflow runs. Then give the schedule a longer interval, a time limit or another overlap policy.',
    runBook: 'schedules-that-do-not-fire',
  },
];

/** The check of open alerts and of what `findMore` finds. All schedules of a condition become one finding. */
const openAlerts = (findMore: (context: LedgerContext) => Promise<Pick<Sighting, 'condition' | 'scheduleId'>[]>) => ({
  name: 'alerts that are open',
  async find(context: LedgerContext): Promise<Finding[]> {
    const alerts = await readAlerts(context.store, { tenant: undefined, resolved: false, limit: LISTED_AT_MOST });
    const more = await findMore(context);
    return TOLD.flatMap(({ said, ...finding }) => {
      const found = [...alerts, ...more].flatMap(({ condition, scheduleId }) =>
        condition === finding.id && scheduleId !== null ? [scheduleId] : [],
      );
      const names = [...new Set(found)];
      const atMost = alerts.length === LISTED_AT_MOST ? names.length : undefined;
      return names.length === 0
        ? []
        : [{ ...finding, severity: severityOf(finding.id), text: said(names.length, some(names), atMost) }];
    });
  },
});

/** The check of open alerts without `findMore`, for callers that ask often. */
export const OPEN_ALERT_CHECKS: Check<LedgerContext>[] = [openAlerts(async () => [])];

/**
 * The check of open alerts for `doctor`. The check also finds failing schedules without an open alert, for example
 * while no trigger is alive. For that it reads the dead letters of five weeks, batch by batch.
 */
export const ALERT_CHECKS: Check<LedgerContext>[] = [
  openAlerts(async ({ store, settings, ...at }) => {
    const from = before(at, FAILED_SINCE_MILLISECONDS);
    const query = { from, rules: { ...ALERT_RULES, ...settings.alerts }, places: {} as Places };
    const found: Sighting[] = [];
    do found.push(...(await readFailing(store, query)));
    while (query.places.failing);
    return found;
  }),
];
