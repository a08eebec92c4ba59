import { nameOf } from '../../core/firing';
import type { ObservedFiring } from '../../store/firings/observe';
import { type ListedState, TemporalCallError } from '../../temporal/port';
import type { TriggerContext } from '../context';
import { groupBy } from '../group';
import type { EndedChain } from './close';

/** What a list tells of chains. Of the others nothing is expected yet: they are young, and run or are not listed so far. */
export interface ListedChains {
  completed: EndedChain[];
  /** Those that run and are no longer young: whether they get anywhere a list does not say. */
  old: ObservedFiring[];
  /** Those that must be asked for by themselves: a list does not tell how they are, or an old one is expected to end. */
  rest: ObservedFiring[];
}

/** Workflow IDs that one list is asked for. */
const IDS_AT_MOST = 100;
/** Characters that a query's string cannot hold as they are. */
const UNQUOTABLE = /['"\\`]/;

/**
 * Ask Temporal for a list of chains instead of for each, where many of a namespace are due for a look. The list lags behind
 * and knows runs, not chains: only a single run is taken at its word, that it has completed or that it runs; a young chain
 * that it does not show yet is left to the next look.
 *
 * @param listFrom chains of one namespace from which on it is asked for a list
 */
export async function observeByList(
  context: TriggerContext,
  open: ObservedFiring[],
  listFrom: number,
): Promise<ListedChains> {
  const found: ListedChains = { completed: [], old: [], rest: [] };
  for (const [namespace, firings] of groupBy(open, (firing) => firing.namespace)) {
    const listable = firings.filter(({ workflowId }) => !UNQUOTABLE.test(workflowId));
    if (listable.length < listFrom) {
      found.rest.push(...firings);
      continue;
    }
    found.rest.push(...firings.filter(({ workflowId }) => UNQUOTABLE.test(workflowId)));
    for (let from = 0; from < listable.length; from += IDS_AT_MOST) {
      const page = listable.slice(from, from + IDS_AT_MOST);
      const states = await statesOf(context, namespace, page);
      if (states) sortOut(context, page, states, found);
      else found.rest.push(...page);
    }
  }
  return found;
}

/** Undefined where the server does not list just now: then each is looked up. */
async function statesOf({ temporal }: TriggerContext, namespace: string, page: ObservedFiring[]) {
  try {
    return await temporal.of(namespace).listStates(page.map((firing) => firing.workflowId));
  } catch (error) {
    if (error instanceof TemporalCallError) return undefined;
    throw error;
  }
}

function sortOut(context: TriggerContext, page: ObservedFiring[], states: ListedState[], found: ListedChains): void {
  const runs = groupBy(states, (state) => state.workflowId);
  for (const firing of page) {
    const own = (runs.get(firing.workflowId) ?? []).filter((run) => isOf(context, firing, run));
    const [only] = own;
    if (own.length === 1 && only!.outcome === 'completed' && only!.closedAt) {
      found.completed.push({ firing, closed: completedAs(firing, only!.closedAt) });
    } else if (own.length > 1 || only?.outcome !== undefined) {
      found.rest.push(firing);
    } else if (!isYoung(context, firing)) {
      // A run that continued as new has ended, and the next one is not listed.
      const runs = only !== undefined && !only.closedAt;
      const isExpected = firing.isAwaited || firing.isInterrupted;
      (runs && !isExpected ? found.old : found.rest).push(firing);
    }
  }
}

/** By the memo, since a list names a chain's present run and not its first. */
function isOf({ installationId }: TriggerContext, firing: ObservedFiring, { memo }: ListedState): boolean {
  const { installation, scheduleId, scheduledTime, epoch } = memo;
  const key = nameOf({ scheduleId, scheduledTime: new Date(scheduledTime) });
  return installation === installationId && key === nameOf(firing) && epoch === firing.epoch;
}

/** Whether it has run for so short that it may wait for its worker, and is not known to get nowhere. */
function isYoung({ clock, limits }: TriggerContext, { linkedAt, stalled }: ObservedFiring): boolean {
  const age = clock.now() - (linkedAt?.getTime() ?? 0);
  return stalled === null && age < limits.stalledAfterMilliseconds;
}

function completedAs(
  { scheduleId, scheduledTime, epoch, runId }: ObservedFiring,
  closedAt: Date,
): EndedChain['closed'] {
  return { scheduleId, scheduledTime, epoch, outcome: 'completed', closedAt, runId, failedStep: undefined };
}
