import { ALERT_RULES, type ScheduleCondition, severityOf } from '../../core/alert-defaults';
import { readFailing } from '../../store/alerts/letter-sightings';
import { readAlerts } from '../../store/alerts/read-alerts';
import type { Sighting } from '../../store/alerts/sighting';
import { type Check, countedWith, type Finding, some } from '../finding';
import { before, type LedgerContext } from './context';

const LISTED_AT_MOST = 10_000;
/** Failures older than this are not read. A monthly schedule fires again within this time. */
const FAILED_SINCE_MILLISECONDS = 35 * 86_400_000;

/** What a finding says about the schedules with an open alert of one condition. */
type Told = Omit<Finding, 'text' | 'severity'> & {
  id: ScheduleCondition;
  said: (schedules: number, names: string) => string;
};

/** The conditions that no other check looks for. */
const TOLD: Told[] = [
  {
    id: 'not_done',
    said: (count, names) => `${countedWith(count, 'schedule', ['has', 'have'])} a firing past its deadline: ${names}.`,
    action: `Run 'escapement explain' to see why; 'escapement alert list' shows the time of the firing.`,
    runBook: 'late-firings',
  },
  {
    id: 'missed',
    said: (count, names) =>
      `${countedWith(count, 'schedule', ['has', 'have'])} missed occurrences, and completed none since: ${names}.`,
    action: `Fire what is still needed: 'escapement schedule backfill', or 'escapement firing run-again'.`,
    runBook: 'nothing-fires',
  },
  {
    id: 'recovered',
    said: (count, names) =>
      `${countedWith(count, 'schedule', ['has', 'have'])} a firing that triggers took over more than once: ${names}.`,
    action:
      'Read the logs of the triggers: they die or hang while they start it, or Temporal does not answer its start.',
    runBook: 'nothing-fires',
  },
  {
    id: 'running_long',
    said: (count, names) =>
      `${countedWith(count, 'schedule', ['has', 'have'])} a workflow that has run for a long time: ${names}.`,
    action: 'Check in the Temporal UI what it waits for.',
    runBook: 'workers',
  },
  {
    id: 'failing',
    said: (count, names) =>
      `${countedWith(count, 'schedule', ['has', 'have'])} failed several times in a row: ${names}.`,
    action: `Read why: 'escapement dead-letter groups'.`,
    runBook: 'a-poison-step',
  },
  {
    id: 'started_often',
    said: (count, names) =>
      `${countedWith(count, 'schedule', ['was', 'were'])} started more often than the spec asks for: ${names}.`,
    action: `'escapement firing list --kind manual --json' has who starts it, as actor. If that is intended, give the schedule its own alert rule.`,
    runBook: 'schedules-that-do-not-fire',
  },
  {
    id: 'skipped',
    said: (count, names) =>
      `${countedWith(count, 'schedule', ['was', 'were'])} skipped several times in a row, since another firing ran: ${names}.`,
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
      return names.length === 0
        ? []
        : [{ ...finding, severity: severityOf(finding.id), text: said(names.length, some(names)) }];
    });
  },
});

/** The check of open alerts without `findMore`, for callers that ask often. */
export const OPEN_ALERT_CHECKS: Check<LedgerContext>[] = [openAlerts(async () => [])];

/**
 * The check of open alerts for `doctor`. It also finds failing schedules without an open alert, such as while no
 * trigger is alive. For that it reads the dead letters of five weeks.
 */
export const ALERT_CHECKS: Check<LedgerContext>[] = [
  openAlerts(({ store, ...at }) =>
    readFailing(store, { from: before(at, FAILED_SINCE_MILLISECONDS), rules: ALERT_RULES }),
  ),
];
