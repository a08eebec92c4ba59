import { checkOptions } from '../../core/options';
import { type OpenLetters, readOpenLetters } from '../../store/letters/open';
import { type LagSummary, type NamespaceLoad, readOverview } from '../../store/reads/overview';
import { readTriggerReports } from '../../store/trigger-reports';
import { type AliveTrigger, readAliveTriggers } from '../../store/triggers';
import type { ClientContext } from '../context';
import { inTenant, statsFilter } from '../list/filters';
import { listSchedulesPage } from '../list/list';

/** What goes on now, at a glance: what `escapement top` shows. */
export interface Overview {
  /** When it was read. */
  at: Date;
  /** The triggers that are alive. They are of all tenants; nothing fires where there is none. */
  triggers: AliveTrigger[];
  /** Namespaces in which anything waits or runs, and those that do not answer a trigger. */
  namespaces: NamespaceStatus[];
  /** From the nominal times of what was scheduled in the last five minutes, jitter included, to when the first workflow task may run. */
  lag: LagSummary;
  /** What no trigger has claimed yet. */
  backlog: {
    /** Schedules with an occurrence that is due and not answered for; of up to 100,000. */
    schedules: number;
    /** Since when the first of these is due; null while there are none. */
    oldestAt: Date | null;
  };
  /** Dead letters that need a person. */
  letters: OpenLetters;
  /** The ten schedules that fire next, soonest first. */
  next: { scheduleId: string; nextFireAt: Date }[];
}

/** What waits and runs in a namespace, and whether it answers. */
export interface NamespaceStatus extends NamespaceLoad {
  /** Since when a trigger that is alive is not answered, or is refused; null while all are. */
  awaySince: Date | null;
  /** What Temporal, or the network, said then. */
  error: string | null;
}

/** As many fit on a screen. */
const NEXT = 10;

/** What goes on now, of one tenant or all. */
export async function readOverviewOf(
  context: ClientContext,
  options: { tenant?: string | undefined },
): Promise<Overview> {
  checkOptions(statsFilter, options);
  const { tenant } = inTenant(context, options);
  await context.ready();
  const { store, now } = context;
  const { now: at, due, dueSince, namespaces, lag } = await readOverview(store, { tenant, now: now?.() });
  const [triggers, { away }, letters, { schedules }] = await Promise.all([
    readAliveTriggers(store, now?.()),
    readTriggerReports(store, at),
    readOpenLetters(store, { tenant }),
    listSchedulesPage(context, { orderBy: 'nextFireAt', pageSize: NEXT, ...(tenant === undefined ? {} : { tenant }) }),
  ]);
  const next = schedules.flatMap(({ scheduleId, info: { nextFireAt } }) =>
    nextFireAt ? { scheduleId, nextFireAt } : [],
  );
  const backlog = { schedules: due, oldestAt: dueSince };
  return { at, triggers, namespaces: withAway(namespaces, away, tenant), lag, backlog, letters, next };
}

/** Of a tenant only those namespaces in which it has something: the names of others are not its business. */
function withAway(
  loads: NamespaceLoad[],
  away: { namespace: string; since: string; error: string }[],
  tenant: string | undefined,
): NamespaceStatus[] {
  const none = { waiting: 0, waitingSince: null, running: 0 };
  const idle = away
    .filter(({ namespace }) => tenant === undefined && !loads.some((load) => load.namespace === namespace))
    .map(({ namespace }) => ({ namespace, ...none }));
  return [...loads, ...idle].map((load) => {
    const said = away.find(({ namespace }) => namespace === load.namespace);
    return { ...load, awaySince: said ? new Date(said.since) : null, error: said?.error ?? null };
  });
}
