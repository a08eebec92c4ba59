import { proxyActivities } from '@temporalio/workflow';

/** Runs one activity of the worker, by name. */
export async function runStep(name: string, retries = 1, ...args: unknown[]): Promise<unknown> {
  const activities = proxyActivities({
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: '20 seconds',
    retry: { maximumAttempts: retries, initialInterval: 1 },
  });
  return activities[name]!(...args);
}
