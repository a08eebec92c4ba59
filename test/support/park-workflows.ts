import { type ActivityFailure, proxyActivities, setCurrentDetails } from '@temporalio/workflow';

interface Steps {
  chargeCard(order: string): Promise<string>;
  sendMail(order: string): Promise<string>;
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

/** Both at once, one of which may have a queue of its own. */
export async function both(id: string, mailQueue?: string): Promise<string[]> {
  return Promise.all([steps().chargeCard(id), steps(mailQueue).sendMail(id)]);
}

/** Mails from a queue of its own though the card was declined, then charges again. */
export async function forgiving(id: string, mailQueue?: string): Promise<string[]> {
  const { chargeCard } = steps();
  const first = await chargeCard(id).catch((error) => (error as ActivityFailure).activityType);
  return [first, await steps(mailQueue).sendMail(id), await chargeCard(id)];
}
