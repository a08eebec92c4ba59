import { setTimeout } from 'node:timers/promises';
import { buryRequestIdOf } from '../../core/identity';
import { BURY_AGAIN, PARK_SIGNAL } from '../../core/letters/park';
import { readLinkedNamespaces } from '../../store/firings/adopt';
import { type ListedRun, type RunSignal, TemporalCallError } from '../../temporal/port';
import { concurrently } from '../concurrently';
import type { TriggerContext } from '../context';
import { listRuns } from './list-runs';

/** The start time does not matter: a step may have failed just before the failover. */
const EVER = new Date(0);

/**
 * After a failover, ask each run in which a step may be parked to check its dead letters. If the ledger lost one, nobody
 * would know that the run waits. Only the run itself knows which steps it has parked, whatever its converter and codec.
 *
 * @param round within a round each run is asked once, even if several triggers ask or one starts over
 * @returns whether each run was asked
 */
export async function askParked(
  context: TriggerContext,
  lostSince: Date,
  round: 'at once' | 'again',
): Promise<boolean> {
  const { adoption, installationId, store } = context;
  const requestId = buryRequestIdOf(installationId, [adoption.incarnation, lostSince.toISOString(), round]);
  const namespaces = await readLinkedNamespaces(store);
  const ends = await Promise.all(namespaces.map((namespace) => askNamespace(context, namespace, requestId)));
  return ends.every((isAsked) => isAsked);
}

/** Pages are small, since each question needs a worker at once. */
async function askNamespace(context: TriggerContext, namespace: string, requestId: string): Promise<boolean> {
  const { adoption, installationId, limits, stopping } = context;
  let isAsked = true;
  let token: string | undefined;
  for (;;) {
    const page = { since: EVER, onlyParking: true, size: limits.startBatchSize, token };
    const listed = await listRuns(context, namespace, page).catch(undefinedWhereRefused);
    if (!listed) return false;
    const runs = listed.runs.filter(({ memo }) => memo.installation === installationId);
    const ends = await concurrently(runs, limits.startsInFlight, stopping, (run) =>
      ask(context, namespace, run, requestId),
    );
    isAsked &&= ends.every((end) => end);
    token = listed.next;
    // Another failover takes precedence.
    if (stopping.aborted || adoption.held === 'all') return false;
    if (token === undefined) return isAsked;
    await setTimeout(limits.listPagePauseMilliseconds);
  }
}

/** @returns false if it is worth asking again */
async function ask(
  { logger, temporal }: TriggerContext,
  namespace: string,
  { workflowId, runId, memo }: ListedRun,
  requestId: string,
): Promise<boolean> {
  const signal: RunSignal = { namespace, workflowId, runId, name: PARK_SIGNAL, argument: BURY_AGAIN, requestId };
  try {
    await temporal.of(namespace).signal(signal);
    return true;
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    if (error.ofNamespace || error.kind === 'away' || error.kind === 'busy') return false;
    const { scheduleId, scheduledTime } = memo;
    logger.warn('could not ask parked runs for their letters', {
      ...{ scheduleId, scheduledTime, workflowId, runId, error: error.message },
    });
    return true;
  }
}

function undefinedWhereRefused(error: unknown): undefined {
  if (!(error instanceof TemporalCallError)) throw error;
}
