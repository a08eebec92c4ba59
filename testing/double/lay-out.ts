import { randomUUID } from 'node:crypto';
import { msToNumber } from '@temporalio/common/lib/time';
import type { FiringOutcome } from '../../core/firing';
import type { WorkflowStart } from '../../temporal/port';
import type { DoubleBehaviour } from './behaviour';

export const PLAYED_FAILURE = 'Played';

type PlayedAction = Pick<WorkflowStart['action'], 'retry' | 'workflowRunTimeout' | 'workflowExecutionTimeout'>;

/** A run of a simulated chain. `continued` means that it continued as new, so it has no outcome. */
export interface PlayedRun {
  runId: string;
  startedAt: number;
  /** When the run ends, as planned; infinity if no end is planned. */
  endsAt: number;
  end: FiringOutcome | 'continued';
  /** Which attempt of the retry policy the run is, from 1. A run that continued as new is followed by attempt 1. */
  attempt: number;
  /** For a run after a reset: whether a repeated start request returns this chain while this run is the current one. */
  isOfRequest?: boolean;
}

/**
 * How many runs that end are planned at most. If the chain would have more, one further run is planned, which does not
 * end.
 */
const RUNS_AT_MOST = 1_000;

/** @param firstAttempt the attempt of the first run: a run after a reset has that of its former run */
export function layOut(
  behaviour: DoubleBehaviour,
  startedAt: number,
  action: PlayedAction = {},
  { delay = 0, firstAttempt = 1 }: { delay?: number; firstAttempt?: number } = {},
): PlayedRun[] {
  const { fails = 0, continues = 0 } = behaviour;
  const takes = msToNumber(behaviour.takes ?? 0);
  const runTimeout = action.workflowRunTimeout ?? Number.POSITIVE_INFINITY;
  // The start delay is added to the timeout, as the trigger does in its start calls.
  const mustEndAt = startedAt + delay + (action.workflowExecutionTimeout ?? Number.POSITIVE_INFINITY);
  const runs: PlayedRun[] = [];
  let [at, waits, attempt, failed, continued] = [startedAt, delay, firstAttempt, 0, 0];
  for (;;) {
    const willFail = fails === true ? behaviour.outcome === undefined : failed < fails;
    const goesOn = !willFail && continued < continues;
    const natural = at + waits + takes;
    // If a run first waits for its start time or its retry, its duration and its timeout count from the end of that
    // wait.
    const endsAt = Math.min(natural, at + waits + runTimeout, mustEndAt);
    const end = endsAt < natural ? 'timed_out' : willFail ? 'failed' : goesOn ? 'continued' : lastEnd(behaviour);
    runs.push({ runId: randomUUID(), startedAt: at, endsAt, end, attempt });
    if (endsAt === Number.POSITIVE_INFINITY) return runs;
    if (end === 'continued') [continued, waits, attempt] = [continued + 1, 0, 1];
    else {
      failed++;
      const wait = willFail || end === 'timed_out' ? backoff(action.retry, attempt) : undefined;
      if (wait === undefined || endsAt + wait > mustEndAt || endsAt === mustEndAt) return runs;
      [waits, attempt] = [wait, attempt + 1];
    }
    at = endsAt;
    if (runs.length < RUNS_AT_MOST) continue;
    const endless = { runId: randomUUID(), startedAt: at, endsAt: Number.POSITIVE_INFINITY, attempt };
    return [...runs, { ...endless, end: 'failed' }];
  }
}

function lastEnd({ outcome, fails }: DoubleBehaviour): FiringOutcome {
  return outcome ?? (fails === true ? 'failed' : 'completed');
}

/** The pause in milliseconds before a retry, with the server's defaults; undefined if there is no retry. */
function backoff(retry: PlayedAction['retry'], attempts: number): number | undefined {
  if (!retry || (retry.maximumAttempts && attempts >= retry.maximumAttempts)) return undefined;
  if (retry.nonRetryableErrorTypes?.includes(PLAYED_FAILURE)) return undefined;
  const first = msToNumber(retry.initialInterval ?? 1_000);
  const longest = msToNumber(retry.maximumInterval ?? 100 * first);
  return Math.min(longest, first * (retry.backoffCoefficient ?? 2) ** (attempts - 1));
}
