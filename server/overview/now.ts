import { COUNTED_AT_MOST, orMore } from '../../core/counted';
import { countAlerts } from '../../store/alerts/read-alerts';
import { readRoutesInUse } from '../../store/doctor/schedules';
import { readFreezesInForce } from '../../store/freezes/rows';
import { readOpenLetters } from '../../store/letters/count-open';
import { readComing } from '../../store/reads/coming';
import { type NamespaceLoad, readOverview } from '../../store/reads/overview';
import { readTriggerReports } from '../../store/trigger-reports';
import type { ServerContext } from '../context';
import { ReadQueue } from '../read-queue';
import { findingsOf, findingsOfTenant, verdictOf } from './verdict';

const COMING_MILLISECONDS = 15 * 60_000;
const FREEZES_AT_MOST = 200;

type State = Awaited<ReturnType<typeof readState>>;

const READS = new WeakMap<ServerContext, Map<string | undefined, () => Promise<State>>>();

/** The current state, for a caller who sees all tenants or one. Callers who ask at the same time can share one read. */
export function overviewOf(server: ServerContext, tenant: string | undefined): Promise<State> {
  const ofServer = READS.get(server) ?? new Map<string | undefined, () => Promise<State>>();
  READS.set(server, ofServer);
  const read = ofServer.get(tenant) ?? new ReadQueue().shared(() => readState(server, tenant));
  ofServer.set(tenant, read);
  return read();
}

async function readState(server: ServerContext, tenant: string | undefined) {
  const { store } = server;
  const now = server.now();
  const client = server.clientOf({ actor: server.identity, tenant });
  const [overview, letters, alerts, openAlerts, triggers, reports, schedules, coming, freezes] = await Promise.all([
    readOverview(store, { now, tenant }),
    readOpenLetters(store, { tenant }),
    client.alerts.list({ order: 'worst' }),
    countAlerts(store, { tenant, resolved: false }),
    client.triggers(),
    readTriggerReports(store, now),
    schedulesByNamespace(server, tenant),
    readComing(store, { from: now, to: new Date(now.getTime() + COMING_MILLISECONDS), tenant }),
    readFreezesInForce(store, { tenant, now, limit: FREEZES_AT_MOST }),
  ]);
  const { due, dueSince, lag, namespaces: loads } = overview;
  // As for `doctor`, a schedule that was set aside also needs a trigger.
  const hasSchedules = async () => schedules.size > 0 || (await readRoutesInUse(store)).length > 0;
  const findings =
    tenant === undefined
      ? await findingsOf({ store, now, triggers, reports, hasSchedules: await hasSchedules() })
      : findingsOfTenant(alerts, triggers.length > 0);
  const standing = { due, dueSince, ...standingOf(loads) };
  const since = [dueSince, standing.waitingSince].flatMap((at) => (at ? [at.getTime()] : []));
  const lagMilliseconds = since.length === 0 ? 0 : Math.max(0, now.getTime() - Math.min(...since));
  return {
    now,
    verdict: verdictOf(findings, allIsWell(schedules.size > 0, standing.running)),
    lagMilliseconds,
    lag,
    ...standing,
    letters,
    alerts,
    openAlerts,
    triggers,
    namespaces: tenant === undefined ? namespacesOf(schedules, reports.away) : [],
    caps: tenant === undefined ? reports.caps : [],
    coming,
    // The reason of a freeze of all tenants is not for tenants.
    freezes: freezes.map(({ to, note, tenant: of }) => ({ to, note: of === (tenant ?? of) ? note : null })),
  };
}

function standingOf(loads: NamespaceLoad[]) {
  const since = loads.flatMap(({ waitingSince }) => (waitingSince ? [waitingSince.getTime()] : []));
  return {
    waiting: loads.reduce((sum, { waiting }) => sum + waiting, 0),
    waitingSince: since.length === 0 ? null : new Date(Math.min(...since)),
    running: loads.reduce((sum, { running }) => sum + running, 0),
  };
}

/**
 * Number of schedules in each namespace that are neither paused, completed nor set aside, of one tenant or of all. As
 * long as a new server has not read all specs, the schedules are counted in the ledger.
 */
async function schedulesByNamespace(
  { store, specs }: ServerContext,
  tenant: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (specs.isRead) {
    await specs.current();
    return specs.namespacesOf(tenant);
  }
  const counts = new Map<string, number>();
  for (const { namespace, firing } of await readRoutesInUse(store, tenant)) {
    if (firing > 0) counts.set(namespace, (counts.get(namespace) ?? 0) + firing);
  }
  return counts;
}

function allIsWell(hasSchedules: boolean, running: number): string {
  if (!hasSchedules) return 'There is no schedule that fires yet.';
  const workflows = `${orMore(running, running >= COUNTED_AT_MOST)} ${running === 1 ? 'workflow runs' : 'workflows run'}`;
  return `Everything is on time; ${running === 0 ? 'no workflow runs' : workflows} now.`;
}

function namespacesOf(
  schedules: ReadonlyMap<string, number>,
  away: Awaited<ReturnType<typeof readTriggerReports>>['away'],
) {
  const names = new Set([...schedules.keys(), ...away.map(({ namespace }) => namespace)]);
  return [...names].sort().map((namespace) => ({
    namespace,
    schedules: schedules.get(namespace) ?? 0,
    away: away.find((one) => one.namespace === namespace),
  }));
}
