import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  executeChild,
  makeContinueAsNewFunc,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { currentFiring } from '../../../workflows';

export const finish = defineSignal('finish');

export async function echoFiring(...args: unknown[]) {
  return { args, firing: currentFiring(), runId: workflowInfo().runId };
}

/** Runs until it is told to finish. */
export async function untilFinished() {
  let finished = false;
  setHandler(finish, () => {
    finished = true;
  });
  await condition(() => finished);
}

/** Fails in its first two runs. Each workflow retry is another run of the same chain. */
export async function failsTwice() {
  if (workflowInfo().attempt < 3) throw ApplicationFailure.create({ message: 'not yet' });
  return currentFiring()?.scheduleId;
}

export async function alwaysFails() {
  throw ApplicationFailure.nonRetryable('broken for good');
}

/** Fails with a text that JSON may contain and Postgres may not. A letter cuts the text within its last character. */
export async function failsOddly() {
  throw ApplicationFailure.nonRetryable(`a\0b${'x'.repeat(996)}🕰️`);
}

/** Continues as new until `left` is used up. */
export async function continues(left: number): Promise<string | undefined> {
  if (left > 0) return continueAsNew<typeof continues>(left - 1);
  return currentFiring()?.scheduleId;
}

/** Continues as new with its own memo, and then runs until it is told to finish. */
export async function continuesWithMemo(isFirst = true): Promise<void> {
  if (isFirst) await makeContinueAsNewFunc<typeof continuesWithMemo>({ memo: { own: true } })(false);
  await untilFinished();
}

/** Starts a child that has this workflow's memo, and a workflow ID with the end of this one. Then both run on. */
export async function handsItsMemoOn() {
  const { memo, workflowId } = workflowInfo();
  await startChild(untilFinished, { workflowId: `of-${workflowId}`, ...(memo && { memo }) });
  await untilFinished();
}

/** Sleeps for so many milliseconds. */
export async function naps(milliseconds: number): Promise<void> {
  await sleep(milliseconds);
}

export async function sleepsADay() {
  await sleep('1 day');
  return currentFiring();
}

/** Does not end on a cancellation, but only after the signal to finish. */
export async function ignoresCancel() {
  let finished = false;
  setHandler(finish, () => {
    finished = true;
  });
  await CancellationScope.nonCancellable(() => condition(() => finished));
}

/** Fails when it is cancelled, so that its retry runs. */
export async function failsWhenCancelled() {
  await untilFinished().catch(() => {
    throw ApplicationFailure.retryable('the clean-up did not work');
  });
}

const { chargeCard } = proxyActivities<typeof import('./activities')>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 millisecond', maximumAttempts: 3 },
});

/** A workflow with one step that exhausts its retries. */
export async function charges() {
  await chargeCard();
}

/** Its own step fails and is caught. Then a child workflow fails at a step with the same activity ID. */
export async function chargesInChild() {
  await chargeCard().catch(() => {});
  await executeChild(charges, { workflowId: `${workflowInfo().workflowId}-child` });
}

/** The steps of {@link fulfils}, each of which a test deploys as it needs it. */
export interface Steps {
  pack(): Promise<string>;
  chargeCard(parcel: string): Promise<void>;
  mail(): Promise<void>;
}

const steps = proxyActivities<Steps>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 millisecond', maximumAttempts: 2 },
});

const localSteps = proxyLocalActivities<Pick<Steps, 'chargeCard'>>({
  startToCloseTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
});

/** A step, and a local one whose failure the workflow passes on: at once, or after another step. */
export async function chargesLocally(mails = false): Promise<string> {
  const parcel = await steps.pack();
  await localSteps.chargeCard(parcel).catch(async (error) => {
    if (mails) await steps.mail();
    throw error;
  });
  return parcel;
}

/** Starts a child workflow, then fails at a step before it waits for the child. */
export async function packsInChild(): Promise<string> {
  const child = await startChild(packs, { workflowId: `${workflowInfo().workflowId}-child` });
  await sleep(1);
  await steps.chargeCard('parcel 1');
  await child.signal(finish);
  return child.result();
}

/** The child of {@link packsInChild}. */
export async function packs(): Promise<string> {
  await untilFinished();
  return steps.pack();
}

/** Two steps. With `beside`, a third step runs in parallel with the second. */
export async function fulfils(beside = false): Promise<string> {
  const parcel = await steps.pack();
  if (beside) await Promise.all([steps.mail(), steps.chargeCard(parcel)]);
  else await steps.chargeCard(parcel);
  return parcel;
}

/** A step of the first task that the workflow waits for only after its last step has failed. */
export async function mailsMeanwhile(): Promise<void> {
  const mailed = steps.mail();
  const parcel = await steps.pack();
  await steps.chargeCard(parcel).finally(() => mailed);
}

/** A last step after so many others side by side. */
export async function chargesAfter(others: number): Promise<void> {
  await Promise.all(Array.from({ length: others }, () => steps.mail()));
  await steps.chargeCard('parcel');
}
