import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { BURY_STEP, type BuryRequest } from '../core/letters/park';
import type { SkippingServer } from './skipping-server';

/** Converts the time since when a step is parked to the virtual clock, with which triggers compare that time. */
export function parkingOn(server: SkippingServer): ActivityInterceptorsFactory {
  return ({ info }) =>
    info.activityType !== BURY_STEP
      ? {}
      : {
          inbound: {
            execute(input, next) {
              const [request] = input.args as [BuryRequest];
              const failedAt = new Date(server.virtual(request.failedAt)).toISOString();
              return next({ ...input, args: [{ ...request, step: { ...request.step, failedAt } }] });
            },
          },
        };
}
