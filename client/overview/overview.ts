import { checkOptions } from '../../core/options';
import { type OpenLetters, readOpenLetters } from '../../store/letters/count-open';
import { type LagSummary, type NamespaceLoad, readOverview } from '../../store/reads/overview';
import { readTriggerReports } from '../../store/trigger-reports';
import { type AliveTrigger, readAliveTriggers } from '../../store/triggers';
import type { ClientContext } from '../context';
import { inTenant, statsFilter } from '../list/filters';
import { listSchedulesPage } from '../list/list';

/** The current state at a glance, as `escapement top` shows it. */
export interface Overview {
  /** When the overview was read. */
  at: Date;
  /** The live triggers of the ledger. Without a live trigger nothing is claimed. */
  triggers: AliveTrigger[];
  /** Namespaces in which firings wait or run; for all tenants, also those that do not answer a trigger. */
  namespaces: NamespaceStatus[];
  /**
   * Delay between nominal time and first possible workflow task, jitter included, of the scheduled firings of the last
   * five minutes: at most the latest 10,000.
   */
  lag: LagSummary;
  /** Occurrences that are due and that no trigger has claimed yet, except those that a freeze or a quota holds back. */
  backlog: {
    /** Number of schedules with an occurrence that is due and unanswered; counted up to 100,000. */
    schedules: number;
    /**
     * Since when a trigger should have claimed one of these schedules; null if there are none. A manual trigger or a
     * long backlog makes this later than the oldest occurrence.
     */
    oldestAt: Date | null;
  };
  /** Number of dead letters that need a person. */
  letters: OpenLetters;
  /** The ten schedules with the earliest next nominal times, soonest first. */
  next: { scheduleId: string; nextFireAt: Date }[];
}

/** Firings that wait and run in a namespace, and whether Temporal answers for it. */
export interface NamespaceStatus extends NamespaceLoad {
  /** Since when a live trigger gets no answer from the namespace, or only refusals; null if no trigger reports that. */
  awaySince: Date | null;
  /** The error from Temporal or from the network; null if no trigger reports one. */
  error: string | null;
}

const NEXT = 10;

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

/**
 * For a tenant, only namespaces with firings of the tenant are returned, since a tenant may not see the names of
 * others.
 */
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
