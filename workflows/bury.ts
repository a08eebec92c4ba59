import { proxyLocalActivities } from '@temporalio/workflow';
import { BURY_STEP, type BuryAnswer, type BuryRequest } from '../core/letters/park';

/** The part of the firing's memo that identifies its row. */
export type FiringMemo = Pick<BuryRequest, 'installation' | 'scheduleId' | 'scheduledTime' | 'epoch'>;

/**
 * Retried with growing pauses until the activity has answered. The activity decides how long Postgres may stay away.
 */
const RETRY = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '2 minutes' } as const;
/**
 * Longer pauses are timers of the workflow. As local retries, every eight seconds would add three events to its
 * history.
 */
const LONGEST_LOCAL_PAUSE = '10 seconds';
/** A question has no limit of time. The tries of a question would fill the history of a run that waits for weeks. */
const RETRY_AGAIN = { ...RETRY, maximumInterval: '1 hour' } as const;

/**
 * Open a dead letter for a step, if the worker's configuration says that it is to be parked.
 *
 * @param known the letter of a step that was tried again, or that already waits
 */
export function bury(
  firing: FiringMemo,
  { step, ...failed }: Pick<BuryRequest, 'step' | 'failureTypes' | 'failedAt'>,
  known: Pick<BuryRequest, 'letterId' | 'again'>,
): Promise<BuryAnswer> {
  // The SDK (1.24) does not stop this timer when an attempt fails and is to be retried. The timer then times out
  // whichever attempt runs, which is harmless: parking a step twice has no further effect. If the worker has ended
  // meanwhile, the timer's end is printed as a panic of `local_activities.rs`. This panic ends nothing except the
  // timer.
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
    step,
    ...failed,
    ...known,
  });
}
