import {
  ApplicationFailure,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
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

const wake = defineSignal('wake');

export async function sleepsUntilWoken(): Promise<void> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  await condition(() => isWoken);
}

export async function wakes(workflowId: string): Promise<void> {
  await getExternalWorkflowHandle(workflowId).signal(wake);
}

/** Fails at once, and takes five minutes in its second run. */
export async function failsOnce(): Promise<void> {
  if (workflowInfo().attempt === 1) throw ApplicationFailure.create({ message: 'not yet' });
  await sleep('5 minutes');
}

export async function refuses(): Promise<void> {
  throw ApplicationFailure.nonRetryable('no');
}

const { send } = proxyActivities<Steps>({ startToCloseTimeout: '1 minute', retry: { maximumAttempts: 3 } });

/** A job whose last step gives up after three attempts. */
export async function carefulReport(): Promise<void> {
  await send('a report');
}

/** A careful report that is sent an hour and a half after its start. */
export async function lateReport(): Promise<void> {
  await sleep('90 minutes');
  await carefulReport();
}

const { render } = proxyActivities<Steps>({ startToCloseTimeout: '1 minute', retry: { maximumAttempts: 1 } });

/** A report whose only step gives up after one attempt, and which ends after a day in any case. */
export async function dailyReport(): Promise<void> {
  await Promise.race([render(1), sleep('1 day')]);
}
