import { readRoutesInUse } from '../../store/doctor/schedules';
import { readOpenLetters } from '../../store/letters/open';
import { readComing } from '../../store/reads/coming';
import { readStandingNow } from '../../store/reads/standing-now';
import { readTriggerReports } from '../../store/trigger-reports';
import type { ServerContext } from '../context';
import { remember } from '../remember';
import { findingsOf, findingsOfTenant, verdictOf } from './verdict';

const COMING_MILLISECONDS = 15 * 60_000;

/** Reads all live schedules, and changes as seldom as they do. */
const routesInUse = remember(60_000, ({ store }) => readRoutesInUse(store));

/** How everything stands, to whoever sees all or one tenant alone. */
export async function overviewOf(server: ServerContext, tenant: string | undefined) {
  const { store } = server;
  const now = server.now();
  const client = server.clientOf({ actor: server.identity, tenant });
  const [standing, letters, alerts, triggers, reports, routes, coming] = await Promise.all([
    readStandingNow(store, { now, tenant }),
    readOpenLetters(store, { tenant }),
    client.alerts.list(),
    client.triggers(),
    readTriggerReports(store, now),
    routesInUse(server, undefined),
    readComing(store, { from: now, to: new Date(now.getTime() + COMING_MILLISECONDS), tenant }),
  ]);
  const findings =
    tenant === undefined
      ? await findingsOf(server, { hasSchedules: routes.length > 0 })
      : findingsOfTenant(alerts, triggers.length > 0);
  const since = [standing.dueSince, standing.waitingSince].flatMap((at) => (at ? [at.getTime()] : []));
  const lagMilliseconds = since.length === 0 ? 0 : Math.max(0, now.getTime() - Math.min(...since));
  return {
    now,
    verdict: verdictOf(findings, allIsWell(routes.length > 0, standing.running)),
    lagMilliseconds,
    ...standing,
    letters,
    alerts,
    triggers,
    namespaces: tenant === undefined ? namespacesOf(routes, reports.away) : [],
    caps: tenant === undefined ? reports.caps : [],
    coming,
  };
}

function allIsWell(hasSchedules: boolean, running: number): string {
  if (!hasSchedules) return 'There is no schedule that fires yet.';
  const workflows = `${running.toLocaleString('en')} ${running === 1 ? 'workflow runs' : 'workflows run'}`;
  return `Everything is on time; ${running === 0 ? 'no workflow runs' : workflows} now.`;
}

/** Namespaces that schedules start in, and whether they answer. */
function namespacesOf(
  routes: Awaited<ReturnType<typeof readRoutesInUse>>,
  away: Awaited<ReturnType<typeof readTriggerReports>>['away'],
) {
  const schedules = new Map<string, number>();
  for (const route of routes) {
    schedules.set(route.namespace, (schedules.get(route.namespace) ?? 0) + route.schedules);
  }
  for (const { namespace } of away) if (!schedules.has(namespace)) schedules.set(namespace, 0);
  return [...schedules].map(([namespace, count]) => ({
    namespace,
    schedules: count,
    away: away.find((one) => one.namespace === namespace),
  }));
}
