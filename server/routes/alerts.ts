import { z } from 'zod';
import { given } from '../../core/given';
import { countAlerts } from '../../store/alerts/read-alerts';
import { operation } from '../operation';
import { time } from '../schemas/described';
import { count, flag } from '../schemas/query';

const tag = 'alerts';

const alert = z
  .looseObject({
    alertId: z.string(),
    condition: z.string(),
    scheduleId: z.string().nullable(),
    openedAt: time,
    resolvedAt: time.nullable(),
    acknowledgedAt: time.nullable(),
    acknowledgedBy: z.string().nullable(),
    count: z.int(),
    text: z.string(),
    owner: z.string().nullable().describe('Owner of its schedule'),
    runbook: z.string().nullable(),
  })
  .meta({ id: 'Alert' });

const listAlerts = operation({
  method: 'GET',
  path: '/v1/alerts',
  operationId: 'listAlerts',
  tag,
  summary: 'List open alerts',
  scope: 'read',
  query: z.strictObject({
    resolved: flag.optional().describe('Include alerts that are over; false unless given'),
    order: z
      .enum(['newest', 'worst'])
      .optional()
      .describe('worst: critical ones first, and of each severity those that opened first; newest unless given'),
    limit: count(1, 10_000).optional().describe('200 unless given'),
  }),
  answers: {
    200: {
      description: 'The alerts',
      schema: z.object({ alerts: z.array(alert), total: z.int().describe('How many match, beyond the limit too') }),
    },
  },
  handle: async ({ client, caller, server, query }) => {
    const alerts = await client.alerts.list(given(query));
    const { total } = await countAlerts(server.store, { tenant: caller.tenant, resolved: query.resolved ?? false });
    return { body: { alerts, total } };
  },
});

const acknowledge = operation({
  method: 'POST',
  path: '/v1/alerts/{alertId}/ack',
  operationId: 'acknowledgeAlert',
  tag,
  summary: 'Acknowledge an alert',
  description: 'No more reminders are sent. A later call does not replace the first name.',
  scope: 'operate',
  params: z.strictObject({ alertId: z.string() }),
  answers: { 200: { description: 'The alert as it is now', schema: alert } },
  handle: async ({ client, params }) => ({ body: await client.alerts.ack(params.alertId) }),
});

export const alertRoutes = [listAlerts, acknowledge];
