import { proxyActivities } from '@temporalio/workflow';

const { step } = proxyActivities<{ step(number: number): Promise<number> }>({ startToCloseTimeout: '1 minute' });

/** A workflow with five steps, one after the other. */
export async function fiveSteps(): Promise<number> {
  let sum = 0;
  for (let number = 1; number <= 5; number++) sum += await step(number);
  return sum;
}
