import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { BURY_STEP, type BuryAnswer, type BuryRequest } from '../core/letters/park';

/** The part of the firing's memo that identifies its row. */
export type FiringMemo = Pick<BuryRequest, 'installation' | 'scheduleId' | 'scheduledTime' | 'epoch'>;

/**
 * The local activity is retried with growing pauses until it has answered. The activity decides how long Postgres may
 * stay away.
 */
const RETRY = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '2 minutes' } as const;
/**
 * Pauses that are longer than this become timers of the workflow. A pause without a timer keeps the workflow task open,
 * which adds events to the history every few seconds.
 */
const LONGEST_LOCAL_PAUSE = '10 seconds';
/**
 * The retries of a check have no time limit, and each long pause adds a timer to the history. Pauses of an hour keep
 * the history short in a run that waits for weeks.
 */
const RETRY_AGAIN = { ...RETRY, maximumInterval: '1 hour' } as const;

/** @param known the letter of a step that was tried again, or that is already parked */
export function bury(
  firing: FiringMemo,
  { step, ...failed }: Pick<BuryRequest, 'step' | 'failureTypes' | 'failedAt'>,
  known: Pick<BuryRequest, 'letterId' | 'again'>,
): Promise<BuryAnswer> {
  // When an attempt fails and will be retried, the SDK (1.24) does not stop the timer of this timeout. The timer then
  // times out the attempt that runs at that moment, which is harmless: parking a step twice has no further effect. If
  // the worker has ended in the meantime, the end of the timer is printed as a panic of `local_activities.rs`. The
  // panic ends nothing except the timer.
  const local = proxyLocalActivities<Record<typeof BURY_STEP, (request: BuryRequest) => Promise<BuryAnswer>>>({
    startToCloseTimeout: '20 seconds',
    retry: known.again ? RETRY_AGAIN : RETRY,
    localRetryThreshold: LONGEST_LOCAL_PAUSE,
  });
  const { installation, scheduleId, scheduledTime, epoch } = firing;
  return local[BURY_STEP]({
    installation,
    scheduleId,
    scheduledTime,
    epoch,
    startedAt: workflowInfo().startTime.getTime(),
    step,
    ...failed,
    ...known,
  });
}
