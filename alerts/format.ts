import { type AlertCondition, severityOf } from '../core/alert-defaults';
import type { MessageType } from './message';
import type { AlertWebhook } from './webhooks';

interface GenericMessage {
  type: MessageType | 'alert.test';
  timestamp: string;
  data: {
    alertId: string;
    condition: AlertCondition | 'test';
    scheduleId: string | null;
    tenant: string;
    openedAt: string;
    resolvedAt: string | null;
    count: number;
    text: string;
    owner?: string | null;
    runbook?: string | null;
    /** Owners, for an alert about many schedules. */
    owners?: string[];
    runbooks?: string[];
  };
}

export function bodyFor({ format, routingKey }: AlertWebhook, body: string): string {
  if (format === 'slack') return JSON.stringify(slackMessage(JSON.parse(body)));
  if (format === 'pagerduty') return JSON.stringify(pagerDutyEvent(JSON.parse(body), routingKey!));
  return body;
}

const ICONS: Record<GenericMessage['type'], string> = {
  'alert.opened': ':red_circle:',
  'alert.reminder': ':repeat:',
  'alert.resolved': ':white_check_mark:',
  'alert.test': ':wave:',
};

/** @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
function slackMessage({ type, data }: GenericMessage) {
  const is = { 'alert.opened': '', 'alert.reminder': ' is still open', 'alert.resolved': ' is over', 'alert.test': '' };
  const text = inWords(data).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return { text: `${ICONS[type]} *${data.condition}*${is[type]}: ${text}` };
}

function inWords({ text, owner, runbook, owners = [], runbooks = [] }: GenericMessage['data']): string {
  const named = (one: string, many: string, names: string[]) =>
    names.length === 0 ? '' : ` ${names.length === 1 ? one : many}: ${names.join(', ')}`;
  const who = named('Owner', 'Owners', owner ? [owner] : owners);
  return `${text}${who && `${who}.`}${named('Run-book', 'Run-books', runbook ? [runbook] : runbooks)}`;
}

/** How many characters of a summary PagerDuty accepts. */
const LONGEST_SUMMARY = 1_024;

/**
 * One alert is one incident, so its reminders and its resolution have the same key.
 *
 * @see https://developer.pagerduty.com/docs/send-alert-event
 */
function pagerDutyEvent({ type, timestamp, data }: GenericMessage, routingKey: string) {
  const { alertId, condition, scheduleId, tenant, runbook, runbooks = [] } = data;
  const links = runbook ? [runbook] : runbooks;
  const event = { routing_key: routingKey, dedup_key: alertId };
  if (type === 'alert.resolved') return { ...event, event_action: 'resolve' };
  const severity = condition === 'test' ? 'info' : severityOf(condition);
  return {
    ...event,
    event_action: 'trigger',
    ...(links.length > 0 ? { links: links.map((href) => ({ href, text: 'Run-book' })) } : {}),
    payload: {
      // The cut may leave the first half of a character, which PagerDuty refuses.
      summary: inWords(data)
        .slice(0, LONGEST_SUMMARY)
        .replace(/[\uD800-\uDBFF]$/, ''),
      source: scheduleId ?? 'escapement',
      severity,
      timestamp,
      class: condition,
      ...(tenant === '' ? {} : { group: tenant }),
      custom_details: data,
    },
  };
}
