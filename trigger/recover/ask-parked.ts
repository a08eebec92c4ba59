import { setTimeout } from 'node:timers/promises';
import { buryRequestIdOf } from '../../core/identity';
import { BURY_AGAIN, PARK_SIGNAL } from '../../core/letters/park';
import { readLinkedNamespaces } from '../../store/firings/adopt';
import {
  endParkedRound,
  leaveParkedRound,
  type ParkedRound,
  recordParkedPlace,
  recordRefusedQuestions,
  takeParkedRound,
} from '../../store/letters/parked-round';
import { grpcCodeOf, grpcStatus } from '../../temporal/errors';
import { type ListedRun, type RunSignal, TemporalCallError } from '../../temporal/port';
import { concurrently, isDone } from '../concurrently';
import { later, type TriggerContext } from '../context';
import { allEnd } from '../lanes';
import { isAdopted } from './adoption';
import { listRuns } from './list-runs';

/** The result of one pass that asks parked runs for their letters. */
export interface AskResult {
  /** Runs that were asked for their letters. */
  asked: number;
  /** Whether no run is left to ask, or another trigger asks now. */
  complete: boolean;
}

/** Runs of any age are asked: a step may have failed just before the failover. */
const EVER = new Date(0);

/**
 * After a failover, ask each run in which a step may be parked to check its dead letters. A ledger that has lost such a
 * letter does not show that the run waits. One trigger asks all runs. If that trigger dies, another one continues where
 * it stopped.
 */
export async function askParked(context: TriggerContext): Promise<AskResult> {
  const { adoption, clock, id: owner, settings, store } = context;
  // A dead letter can be written only if its firing has a row.
  if (!isAdopted(adoption)) return { asked: 0, complete: false };
  const now = clock.now();
  const round = await takeParkedRound(store, { owner, staleBefore: later(now, -settings.staleAfterMilliseconds) });
  if (!round) return { asked: 0, complete: true };
  // The trigger that asks parked runs plans the second adoption too, since the trigger that made the first one may have
  // died.
  if (round.name === 'at once') adoption.again ??= { since: new Date(round.since), at: Date.parse(round.againAt) };
  if (round.isDone) return { asked: 0, complete: true };

  const namespaces = (await readLinkedNamespaces(store)).filter((namespace) => round.places[namespace] !== true);
  const ends = await allEnd(namespaces.map((namespace) => askNamespace(context, namespace, round)));
  const asked = ends.reduce((sum, end) => sum + end.asked, 0);
  if (asked > 0) context.logger.info('asked parked runs for letters that a failover may have lost', { asked });
  const complete = ends.every((end) => end.isDone);
  await (complete ? endParkedRound : leaveParkedRound)(store, { ...round, owner });
  return { asked, complete };
}

/** Pages are small, since each run that is asked needs a worker at once. */
async function askNamespace(context: TriggerContext, namespace: string, round: ParkedRound) {
  const { adoption, clock, id: owner, installationId, limits, stopping, store } = context;
  const requestId = buryRequestIdOf(installationId, [round.incarnation, round.since, round.name, round.againAt]);
  const holder = { ...round, owner };
  // A namespace may be called `constructor`.
  const place = Object.hasOwn(round.places, namespace) ? round.places[namespace] : undefined;
  const end = { asked: 0, isDone: false };
  let token = place === true ? undefined : place;
  const refused = async (error: TemporalCallError) => {
    if (!error.ofNamespace) adoption.asking.failed({ namespace }, error.message);
    // The server may have forgotten the place in the list, so the list is read from its beginning.
    if (error.kind === 'rejected' && token !== undefined) await recordParkedPlace(store, holder, namespace, undefined);
    await recordRefusedQuestions(store, holder, { namespace, error: error.message, now: new Date(clock.now()) });
    return end;
  };
  for (;;) {
    const page = { since: EVER, onlyParking: true, size: limits.startBatchSize, token };
    const listed = await listRuns(context, namespace, page).catch(callError);
    if (listed instanceof TemporalCallError) return refused(listed);
    if (!listed) return end;
    const runs = listed.runs.filter(({ memo }) => memo.installation === installationId);
    const answers = (
      await concurrently(runs, limits.startsInFlight, stopping, (run) => ask(context, namespace, run, requestId))
    ).filter(isDone);
    const notAsked = answers.find((answer) => answer instanceof TemporalCallError);
    end.asked += answers.filter((answer) => answer === 'asked').length;
    if (notAsked) return refused(notAsked);
    // Adopting after another failover takes precedence.
    if (stopping.aborted || !isAdopted(adoption)) return end;
    token = listed.next;
    if (!(await recordParkedPlace(store, holder, namespace, token ?? true))) return end;
    adoption.asking.over({ namespace });
    if (token === undefined) return { ...end, isDone: true };
    await setTimeout(limits.listPagePauseMilliseconds);
  }
}

/**
 * @returns `over` if the run has ended since it was listed, or Temporal refuses the signal for good; an error if the run
 * should be asked again later
 */
async function ask(
  { logger, temporal }: TriggerContext,
  namespace: string,
  { workflowId, runId, memo }: ListedRun,
  requestId: string,
): Promise<'asked' | 'over' | TemporalCallError> {
  const signal: RunSignal = { namespace, workflowId, runId, name: PARK_SIGNAL, argument: BURY_AGAIN, requestId };
  try {
    return (await temporal.of(namespace).signal(signal)) ? 'asked' : 'over';
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    if (error.ofNamespace || error.kind === 'away' || error.kind === 'busy') return error;
    if (grpcCodeOf(error) === grpcStatus.PERMISSION_DENIED) return error;
    const { scheduleId, scheduledTime } = memo;
    logger.warn('could not ask parked runs for their letters', {
      ...{ scheduleId, scheduledTime, workflowId, runId, error: error.message },
    });
    return 'over';
  }
}

function callError(error: unknown): TemporalCallError {
  if (error instanceof TemporalCallError) return error;
  throw error;
}
