import { ApplicationFailure, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import { currentFiring } from '../../workflows';
import type { ChaosActivities } from './activities';

const { book } = proxyActivities<ChaosActivities>({
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '2 seconds' },
});
const once = proxyActivities<ChaosActivities>({
  startToCloseTimeout: '5 seconds',
  retry: { initialInterval: '100 milliseconds', maximumAttempts: 2 },
});

export async function quick(): Promise<void> {}

export async function naps(milliseconds: number): Promise<void> {
  await sleep(milliseconds);
}

/** This workflow fails in its first run, and completes in the retry that its schedule allows. */
export async function failsOnce(): Promise<void> {
  if (workflowInfo().attempt === 1) throw ApplicationFailure.create({ message: 'not yet' });
}

/** This workflow fails until a person restarts it, which gives it another ID. */
export async function failsFirst(): Promise<void> {
  if (!workflowInfo().workflowId.includes('-restart-')) throw ApplicationFailure.nonRetryable('broken');
}

/** This workflow writes an effect under a lease. */
export async function fenced(): Promise<void> {
  await book(keyOfFiring());
}

/** The step of this workflow fails and is parked until somebody has repaired the cause. */
export async function charges(): Promise<void> {
  await once.charge(keyOfFiring());
}

/** A key that all attempts and all runs of one firing share. */
function keyOfFiring(): string {
  const { scheduleId, scheduledTime } = currentFiring()!;
  return `${scheduleId}/${new Date(scheduledTime).toISOString()}`;
}
