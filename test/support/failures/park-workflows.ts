import {
  type ActivityFailure,
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { currentFiring } from '../../../workflows';

export { deliveryRun } from '../../../examples/jobs/delivery-run';

interface Steps {
  chargeCard(order: string): Promise<string>;
  sendMail(order: string): Promise<string>;
  look(order: string): Promise<string>;
}

function steps(taskQueue?: string) {
  return proxyActivities<Steps>({
    startToCloseTimeout: '20 seconds',
    retry: { maximumAttempts: 2, initialInterval: 1 },
    ...(taskQueue ? { taskQueue } : {}),
  });
}

/** Two steps, one after the other. */
export async function order(id: string, taskQueue?: string): Promise<string[]> {
  setCurrentDetails('before the order');
  const { chargeCard, sendMail } = steps(taskQueue);
  return [await chargeCard(id), await sendMail(id)];
}

/** As `order`, and shows what the signal `details` brings. */
export async function showing(id: string): Promise<string[]> {
  setHandler(defineSignal<[string]>('details'), (details) => setCurrentDetails(details));
  return order(id);
}

/** A step whose attempts must send heartbeats. */
export async function impatient(id: string): Promise<string> {
  return proxyActivities<Steps>({
    ...{ startToCloseTimeout: '20 seconds', heartbeatTimeout: '100 ms' },
    retry: { maximumAttempts: 2, initialInterval: 1 },
  }).chargeCard(id);
}

/** As `order`, then the names of the signals that its default handler got. The handler starts a timer for each. */
export async function ownSignals(id: string, taskQueue?: string): Promise<string[]> {
  const seen: string[] = [];
  setDefaultSignalHandler(async (name) => {
    seen.push(name);
    await sleep(1);
  });
  return [...(await order(id, taskQueue)), ...seen];
}

/** Two parallel steps; one of them may use its own task queue. */
export async function both(id: string, mailQueue?: string): Promise<string[]> {
  return Promise.all([steps().chargeCard(id), steps(mailQueue).sendMail(id)]);
}

/** Charges a card. Whether that succeeds or fails, mails on a second task queue, then charges again. */
export async function forgiving(id: string, mailQueue?: string): Promise<string[]> {
  const { chargeCard } = steps();
  const first = await chargeCard(id).catch((error) => (error as ActivityFailure).activityType);
  return [first, await steps(mailQueue).sendMail(id), await chargeCard(id)];
}

/** Cancels its step after the signal `over`, at once or by a timer, and mails on a second task queue. */
export async function limited(id: string, mailQueue: string, way: 'at once' | 'timer'): Promise<string[]> {
  let isOver = false;
  setHandler(defineSignal('over'), () => {
    isOver = true;
  });
  const scope = new CancellationScope();
  // Two scopes deep, so that the cancellation reaches the step some promises later.
  const step = scope
    .run(() => CancellationScope.cancellable(() => CancellationScope.cancellable(() => steps().chargeCard(id))))
    .catch((failure) => (isCancellation(failure) ? 'cancelled' : 'failed'));
  await condition(() => isOver);
  if (way === 'timer') await sleep(1);
  scope.cancel();
  return [await step, await steps(mailQueue).sendMail(id)];
}

type Way = 'promises' | 'conditions';

/**
 * Two parallel branches: one charges; the other mails, logs, and mails again on the task queue `elsewhere`. A step that
 * fails is repeated on `elsewhere`. `ways` lets a branch wait before it uses `elsewhere`. With `looks`, a third branch
 * runs two local activities, then one on `elsewhere`.
 */
export async function beside(id: string, elsewhere: string, ways: { mail?: Way; charge?: Way; looks?: boolean } = {}) {
  const charge = async () => {
    try {
      return await steps().chargeCard(id);
    } catch {
      log.warn('not charged');
      await aWhile(ways.charge);
      return CancellationScope.nonCancellable(() => steps(elsewhere).chargeCard(id));
    }
  };
  const mail = async () => {
    const { sendMail } = steps(elsewhere);
    try {
      await steps().sendMail(id);
    } catch {
      return CancellationScope.nonCancellable(() => sendMail(id));
    }
    log.warn('mailed');
    await aWhile(ways.mail);
    return sendMail(id);
  };
  const look = async () => {
    const own = proxyLocalActivities<Pick<Steps, 'look'>>({
      startToCloseTimeout: '20 seconds',
      localRetryThreshold: '10 seconds',
    });
    await own.look(id);
    log.warn('looked');
    await own.look(id);
    log.warn('looked twice');
    return steps(elsewhere).look(id);
  };
  const looking = ways.looks ? [CancellationScope.nonCancellable(look)] : [];
  return Promise.all([charge(), mail(), ...looking]);
}

/** Wait for some promises or conditions, one after the other, which need no event of the server. */
async function aWhile(way?: Way): Promise<void> {
  if (way === 'promises') for (let left = 50; left > 0; left--) await undefined;
  if (way !== 'conditions') return;
  for (let left = 9; left > 0; left--) {
    let asked = 0;
    await condition(() => asked++ > 0);
  }
}

/** Waits for its step even after the workflow is cancelled. */
export async function patient(id: string): Promise<string> {
  const { chargeCard } = proxyActivities<Steps>({
    startToCloseTimeout: '20 seconds',
    retry: { maximumAttempts: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
  return chargeCard(id);
}

/** Continues with whatever comes first: a mail from its own task queue, or half a minute. */
export async function race(id: string, mailQueue: string): Promise<string> {
  const mailed = steps(mailQueue)
    .sendMail(id)
    .then(() => 'mail');
  const first = await Promise.race([mailed, sleep('30 seconds').then(() => 'timer')]);
  if (first === 'mail') await sleep(1);
  else await steps().chargeCard(id);
  return first;
}

/** Returns its schedule ID. This import puts code of Escapement into the bundle, with or without the plugin. */
export async function named(): Promise<string | undefined> {
  return currentFiring()?.scheduleId;
}
