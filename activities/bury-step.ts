import { activityInfo } from '@temporalio/activity';
import type { BuryAnswer, BuryRequest } from '../core/park';
import { buryStep } from '../store/parked';
import type { ActivityLedger } from './ledger';

/** Which steps are parked, by activity type. */
export type ParkRule = readonly string[] | 'all';

/** The local activity that answers the park interceptor. Fails, to be tried again, while Postgres is away. */
export function burying(ledger: ActivityLedger, rule: ParkRule): (request: BuryRequest) => Promise<BuryAnswer> {
  return async (request) => {
    if (rule !== 'all' && !rule.includes(request.step.activityType)) return { decision: 'fail' };
    const execution = activityInfo().workflowExecution!;
    const letterId = await buryStep(ledger.store(), { ...request, ...execution });
    return letterId === undefined ? { decision: 'fail' } : { decision: 'park', letterId, runId: execution.runId };
  };
}
