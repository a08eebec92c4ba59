import { activityInfo, log } from '@temporalio/activity';
import type { LoadedDataConverter } from '@temporalio/common';
import { type FailureTextOptions, withKeptText } from '../core/failure-text';
import type { BuryAnswer, BuryRequest } from '../core/park';
import { buryStep } from '../store/parked';
import { encodeFailure } from './encode-failure';
import type { ActivityLedger } from './ledger';

/** Which steps are parked, by activity type. */
export type ParkRule = readonly string[] | 'all';

/** The local activity that answers the park interceptor. Fails, to be tried again, while Postgres is away. */
export function burying(
  ledger: ActivityLedger,
  rule: ParkRule,
  { converter, ...texts }: FailureTextOptions & { converter: LoadedDataConverter },
): (request: BuryRequest) => Promise<BuryAnswer> {
  return async (request) => {
    if (rule !== 'all' && !rule.includes(request.step.activityType)) return { decision: 'fail' };
    const execution = activityInfo().workflowExecution!;
    const kept = withKeptText(request.step, texts);
    const step = { ...kept, failure: await encodeFailure(converter, kept.failure) };
    const letterId = await buryStep(ledger.store(), { ...request, step, ...execution });
    if (letterId === undefined) return { decision: 'fail' };
    const { scheduleId, scheduledTime } = request;
    log.warn('parked', { letterId, scheduleId, scheduledTime, step: step.activityType, burial: step.burial });
    return { decision: 'park', letterId, runId: execution.runId };
  };
}
