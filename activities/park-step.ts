import { activityInfo, log } from '@temporalio/activity';
import { ApplicationFailure, type LoadedDataConverter } from '@temporalio/common';
import { type FailureTextOptions, withKeptText } from '../core/letters/failure-text';
import type { BuryAnswer, BuryRequest } from '../core/letters/park';
import type { Store } from '../store/connection';
import { buryStep, mayHaveLostFiring } from '../store/letters/park-step';
import { encodeFailure } from './encode-failure';
import type { ActivityLedger } from './ledger';
import { type ActivityTypes, isToBeParked, type ParkRules, parkRules } from './park-rules';
import { pause } from './pause';

/** The longest wait for `when` and the ledger together. The workflow allows the local activity 20 seconds. */
const TRY_MILLISECONDS = 18_000;

type Texts = FailureTextOptions & { converter: () => LoadedDataConverter };

/**
 * Make the local activity that parks a step. While the rules or Postgres do not answer, or the ledger lacks the firing
 * after a failover, the activity fails and is retried until `giveUpAfter` is over. For a step that is already parked,
 * the activity only makes sure that its letter exists.
 */
export function burying(
  ledger: ActivityLedger,
  park: ActivityTypes | ParkRules,
  { tryMilliseconds = TRY_MILLISECONDS, ...texts }: Texts & { tryMilliseconds?: number },
): (request: BuryRequest) => Promise<BuryAnswer> {
  const rules = parkRules(park);
  return async (request) => {
    const { again } = request;
    const decide = async (ended: AbortSignal): Promise<BuryAnswer> => {
      // If the step is already parked, the rules have decided before.
      if (!again && !(await isToBeParked(rules, request))) return { decision: 'fail' };
      // After the limit no further statement is sent: the workflow may have gone on without park.
      const store = () => {
        ended.throwIfAborted();
        return ledger.store();
      };
      return bury(store, request, texts);
    };
    try {
      // The rules and the ledger share one limit, so that the activity ends here and not by Temporal's timeout.
      return await inTime(tryMilliseconds, decide);
    } catch (failure) {
      // The user's code may declare a failure non-retryable. Temporal looks only at the outermost failure.
      const isFinal = failure instanceof ApplicationFailure && failure.nonRetryable;
      const error = isFinal ? new Error(failure.message, { cause: failure }) : failure;
      // The check of a parked step is retried without a limit, since nobody requests it again.
      if (again) throw error;
      // `failedAt` is a time of the workflow's clock, so it is the same in every try, also on another worker.
      if (Date.now() - request.failedAt < rules.giveUpAfterMilliseconds) throw error;
      const { scheduleId, scheduledTime, step } = request;
      log.error('not parked: nobody could decide or record it in time', {
        ...{ scheduleId, scheduledTime, step: step.activityType, failedAt: new Date(request.failedAt).toISOString() },
        error: (error as Error).message,
      });
      return { decision: 'fail' };
    }
  };
}

async function bury(store: () => Store, request: BuryRequest, { converter, ...texts }: Texts): Promise<BuryAnswer> {
  const { again } = request;
  const execution = activityInfo().workflowExecution!;
  const { workflowId } = execution;
  const runId = again?.runId ?? execution.runId;
  const kept = withKeptText(request.step, texts);
  const step = { ...kept, failure: await encodeFailure(converter(), kept.failure) };
  const { scheduleId, scheduledTime } = request;
  // Whether the firing may be lost is read before `buryStep`: if adoption restores the row between the two statements,
  // `buryStep` finds it.
  const isLost = !again && (await mayHaveLostFiring(store(), request));
  const letterId = await buryStep(store(), { ...request, step, workflowId, runId });
  if (letterId === undefined) {
    if (!isLost) return { decision: 'fail' };
    throw new Error(`the ledger has no row of the firing of ${scheduleId} at ${scheduledTime}; adoption restores it`);
  }
  const line = { letterId, scheduleId, scheduledTime, step: step.activityType, burial: step.burial };
  if (again) log.info('still parked', line);
  else log.warn('parked', line);
  return { decision: 'park', letterId, runId };
}

async function inTime<Answer>(milliseconds: number, work: (ended: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const ended = new AbortController();
  const late = pause(milliseconds, ended.signal).then(() => {
    throw new Error(`no answer within ${milliseconds / 1_000} seconds`);
  });
  late.catch(() => {});
  return Promise.race([work(ended.signal), late]).finally(() => ended.abort());
}
