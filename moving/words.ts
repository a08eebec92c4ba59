import { isGrpcServiceError } from '@temporalio/client';
import { ScheduleAlreadyRunning, ScheduleLockedError, ScheduleNotFoundError } from '../client/errors';
import { TenantQuotaError } from '../client/tenants/errors';
import { InvalidScheduleError } from '../core/errors';
import { reasonOf } from '../temporal/errors';
import { MovingProblem } from './problem';

/** Whether an error is reported as the result of one schedule, and the other schedules are still processed. */
export function isOfOne(error: unknown): boolean {
  return (
    error instanceof MovingProblem ||
    error instanceof InvalidScheduleError ||
    error instanceof TenantQuotaError ||
    error instanceof ScheduleAlreadyRunning ||
    error instanceof ScheduleLockedError ||
    error instanceof ScheduleNotFoundError ||
    isOfTemporal(error)
  );
}

/** Whether the error came from Temporal, or from the network to it. */
export function isOfTemporal(error: unknown): boolean {
  return isGrpcServiceError(error);
}

export function wordsOf(error: unknown): string {
  return isOfTemporal(error) ? `Temporal says: ${reasonOf(error)}` : (error as Error).message;
}
