import { ALERT_RULES } from '../../core/alert-defaults';
import { counted } from '../../core/counted';
import { inShell } from '../../core/shell';
import { readLate, readStalled } from '../../store/alerts/firing-sightings';
import type { Places } from '../../store/alerts/pages';
import { readAlerts } from '../../store/alerts/read-alerts';
import { ROWS_READ_AT_MOST, type Sighting } from '../../store/alerts/sighting';
import type { Store } from '../../store/connection';
import {
  readLettersByKind,
  readStuckClaims,
  readWaitingByRoute,
  type WaitingOnRoute,
} from '../../store/doctor/firings';
import { type Check, countedWith, type Finding, some } from '../finding';
import { LISTED_AT_MOST } from './alerts';
import { before, type LedgerContext, MINUTE } from './context';

/** A backfill may leave very many claims of which none is late. Each page has 20,000. */
const LATE_PAGES_AT_MOST = 25;
/** If the check of a claim is overdue by this much, it is assumed that no trigger performs it. */
const STUCK_AFTER_MILLISECONDS = 2 * MINUTE;

/** @param latePagesAtMost how many pages of waiting claims are read to find a late one */
const firingChecks = (latePagesAtMost: number): Check<LedgerContext>[] => [
  {
    name: 'firings that are not started in time',
    async find({ store, now, settings }) {
      const places: Places = {};
      const rules = { ...ALERT_RULES, ...settings.alerts };
      let late: Sighting[];
      let pages = 0;
      // Perhaps none of these claims is late, as during a backfill. Then the next page is read too.
      do late = await readLate(store, { now, rules, places });
      while (late.length === 0 && places.late && ++pages < latePagesAtMost);
      if (late.length === 0) return places.late ? findLateAlerts(store) : [];
      const [first] = late as [(typeof late)[number]];
      const routes = await readWaitingByRoute(store, now);
      const count = countOf(late);
      // The claims per route include those that are not late. If not all of them were read, late ones may be missing too.
      const isCut =
        Object.keys(places).length > 0 || routes.some(({ ofAllRoutes }) => ofAllRoutes >= ROWS_READ_AT_MOST);
      const where = routes.map((route) => routeInWords(route, isCut)).join('; ');
      return [
        {
          id: 'late',
          severity: 'critical',
          text: `${countedWith(count, 'firing', ['has', 'have'], isCut ? count : undefined)} waited for the start since ${first.at.toISOString()}, of ${some(late.map(({ scheduleId }) => scheduleId))}: ${where}.`,
          action: `To see why, run 'escapement explain ${inShell(first.scheduleId)} ${first.at.toISOString()}'.`,
          runBook: 'late-firings',
        },
      ];
    },
  },
  {
    name: 'claims that no trigger checks',
    async find({ store, reports, ...at }) {
      const away = reports.away.map(({ namespace }) => namespace);
      const { count, scheduleIds } = await readStuckClaims(store, before(at, STUCK_AFTER_MILLISECONDS), away);
      if (count === 0) return [];
      return [
        {
          id: 'stuck_claims',
          severity: 'critical',
          text: `${countedWith(count, 'firing', ['was', 'were'], ROWS_READ_AT_MOST)} announced by a trigger, and no trigger performs the check that is due: ${some(scheduleIds)}.`,
          action: 'Check that a trigger is alive, and read its log.',
          runBook: 'nothing-fires',
        },
      ];
    },
  },
  {
    name: 'workflows that make no progress',
    async find({ store }) {
      const places: Places = {};
      const stalled = await readStalled(store, { places });
      if (stalled.length === 0) return [];
      const count = countOf(stalled);
      const isCut = Object.keys(places).length > 0;
      return [
        {
          id: 'stalled',
          severity: 'critical',
          text: `${countedWith(count, 'workflow', ['makes', 'make'], isCut ? count : undefined)} no progress, of ${some(stalled.map(({ scheduleId }) => scheduleId))}.`,
          action:
            "'escapement firing list --state running' shows the cause: no worker polls, the workflow task fails, or somebody has paused the workflow.",
          runBook: 'workers',
        },
      ];
    },
  },
  {
    name: 'dead letters',
    async find({ store, ...at }) {
      const letters = await readLettersByKind(store);
      return letters.map(({ kind, open, oldestAt, letterId }) => {
        const isParked = kind === 'parked';
        const isLong = isParked && oldestAt < before(at, ALERT_RULES.parked);
        return {
          id: isParked ? 'parked' : 'dead_letter',
          severity: 'warning' as const,
          text: isParked
            ? `${countedWith(open, 'step', ['is', 'are'])} parked and ${open === 1 ? 'waits' : 'wait'} for a person, since ${oldestAt.toISOString()}${isLong ? ', for more than a day' : ''}.`
            : `${countedWith(open, 'dead letter', ['has', 'have'])} waited for a person since ${oldestAt.toISOString()}: ${open === 1 ? 'its workflow' : 'their workflows'} ${kind === 'start' ? 'may never have started' : 'did not complete'}.`,
          action: `Begin with 'escapement dead-letter groups', or 'escapement dead-letter show ${letterId}'.`,
          runBook: 'a-poison-step' as const,
        };
      });
    },
  },
];

export const FIRING_CHECKS = firingChecks(LATE_PAGES_AT_MOST);

/** For callers that ask often: of the waiting claims, only the first page is read. */
export const SHORT_FIRING_CHECKS = firingChecks(1);

/** Alerts may outlive their problem, so that they count only if claims are left that were not read. */
async function findLateAlerts(store: Store): Promise<Finding[]> {
  const alerts = await readAlerts(store, { tenant: undefined, resolved: false, limit: LISTED_AT_MOST });
  const names = alerts.flatMap(({ condition, scheduleId }) =>
    condition === 'late' && scheduleId !== null ? [scheduleId] : [],
  );
  if (names.length === 0) return [];
  const atMost = alerts.length === LISTED_AT_MOST ? names.length : undefined;
  return [
    {
      id: 'late',
      severity: 'critical',
      text: `${countedWith(names.length, 'schedule', ['has', 'have'], atMost)} a firing that waits for its start: ${some(names)}.`,
      action: `Run 'escapement explain' to see why; 'escapement alert list' shows the time of the firing.`,
      runBook: 'late-firings',
    },
  ];
}

function countOf(sightings: Sighting[]): number {
  return sightings.reduce((sum, one) => sum + one.count, 0);
}

function routeInWords({ namespace, taskQueue, waiting, oldestAt, lastError }: WaitingOnRoute, isCut: boolean): string {
  const queue = taskQueue === null ? '' : ` on task queue '${taskQueue}'`;
  const error = lastError === null ? '' : `, the last error: ${lastError}`;
  return `${isCut ? 'at least ' : ''}${counted(waiting, 'claim')} in namespace '${namespace}'${queue}, the first of ${oldestAt.toISOString()}${error}`;
}
