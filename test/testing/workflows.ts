import { ApplicationFailure, proxyActivities, sleep } from '@temporalio/workflow';
import { currentFiring } from '../../workflows';

interface Steps {
  collect(day: string): Promise<number>;
  render(rows: number): Promise<string>;
  send(report: string): Promise<void>;
}

const steps = proxyActivities<Steps>({ startToCloseTimeout: '1 minute' });

/** A nightly job of three steps. */
export async function nightlyReport(): Promise<string> {
  const day = currentFiring()!.scheduledTime.toISOString().slice(0, 10);
  const report = await steps.render(await steps.collect(day));
  await steps.send(report);
  return report;
}

export async function sleepsAnHour(): Promise<void> {
  await sleep('1 hour');
}

export async function refuses(): Promise<void> {
  throw ApplicationFailure.nonRetryable('no');
}
