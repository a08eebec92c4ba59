import { randomUUID } from 'node:crypto';
import { post } from './post';
import type { AlertWebhook } from './webhooks';

export interface WebhookTest {
  /** The `webhook-id` of the test message. */
  messageId: string;
  taken: boolean;
  error?: string;
}

/** Send a test message in the form of an alert; its text says that it is a test. Nothing is written to the ledger. */
export async function testWebhook(webhook: AlertWebhook): Promise<WebhookTest> {
  const [messageId, now] = [randomUUID(), new Date()];
  const data = {
    alertId: messageId,
    condition: 'test',
    scheduleId: null,
    tenant: '',
    openedAt: now,
    resolvedAt: null,
    count: 0,
    text: 'This is a test of the webhook. Nothing is wrong.',
    owner: null,
    runbook: null,
  };
  const body = JSON.stringify({ type: 'alert.test', timestamp: now, data });
  const error = await post(webhook, { id: messageId, at: now, body });
  // For PagerDuty, the test message opens an incident, which is resolved here.
  if (error === undefined && webhook.format === 'pagerduty') {
    const over = JSON.stringify({ type: 'alert.resolved', timestamp: now, data });
    await post(webhook, { id: messageId, at: now, body: over });
  }
  return { messageId, taken: error === undefined, ...(error === undefined ? {} : { error }) };
}
