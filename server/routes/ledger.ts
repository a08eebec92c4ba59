import { z } from 'zod';
import { type AnyOperation, operation } from '../operation';
import { time } from '../schemas/described';

const tag = 'ledger';

const stats = z
  .looseObject({
    total: z.int().describe('Firings in any state'),
    waiting: z.int().describe('Buffered: a trigger has yet to claim them'),
    claimed: z.int().describe('Claimed, and not linked yet'),
    oldestClaimedAt: time.nullable(),
    linked: z.int().describe('A workflow was started'),
    running: z.int(),
    lost: z.int().describe('Claimed, not linked, and overdue'),
    abandoned: z.int(),
    skipped: z.int(),
    missed: z.int().describe('Occurrences in gaps that have no firing'),
    completed: z.int(),
    failed: z.int().describe('Failed or timed out'),
    successRate: z
      .number()
      .nullable()
      .describe('Share of completed firings among those that completed, failed or were abandoned, 0 to 1'),
    recoveries: z.object({ attempted: z.int(), succeeded: z.int(), failed: z.int() }),
    letters: z.object({ open: z.int(), oldestAt: time.nullable() }).describe('Dead letters that need a person'),
  })
  .meta({ id: 'Stats' });

const readStats = operation({
  method: 'GET',
  path: '/v1/stats',
  operationId: 'readStats',
  tag,
  summary: 'Counts of firings and gaps, also of retired months',
  scope: 'read',
  answers: { 200: { description: 'The counts', schema: stats } },
  handle: async ({ client }) => ({ body: await client.stats() }),
});

const readScheduleStats = operation({
  method: 'GET',
  path: '/v1/schedules/{scheduleId}/stats',
  operationId: 'readScheduleStats',
  tag: 'schedules',
  summary: 'Counts over the firings and gaps of one schedule that the ledger still holds',
  scope: 'read',
  params: z.object({ scheduleId: z.string() }),
  answers: { 200: { description: 'The counts', schema: stats } },
  handle: async ({ client, params }) => ({ body: await client.getHandle(params.scheduleId).stats() }),
});

const trigger = z
  .looseObject({
    id: z.string(),
    host: z.string(),
    version: z.string(),
    heartbeatAt: time,
    schemaVersion: z.int(),
    tz: z.string().nullable().describe('Version of its time zone data'),
  })
  .meta({ id: 'TriggerProcess' });

const listTriggers = operation({
  method: 'GET',
  path: '/v1/triggers',
  operationId: 'listTriggers',
  tag,
  summary: 'The trigger processes that are alive',
  description: 'Triggers work for all tenants. If there are none, nothing is claimed or handed to Temporal.',
  scope: 'read',
  answers: {
    200: { description: 'The triggers', schema: z.object({ triggers: z.array(trigger) }).meta({ id: 'Triggers' }) },
  },
  handle: async ({ client }) => ({ body: { triggers: await client.triggers() } }),
});

const namespace = z
  .object({
    namespace: z.string(),
    waiting: z
      .int()
      .describe(
        'Claimed firings that may start now, and whose start nobody has announced; up to 100,000 in all namespaces together',
      ),
    waitingSince: time.nullable(),
    running: z.int().describe('Firings whose workflow runs; up to 100,000 in all namespaces together'),
    awaySince: time
      .nullable()
      .describe('Since when it has not answered a trigger, or has refused its calls; null otherwise'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Namespace' });

const listNamespaces = operation({
  method: 'GET',
  path: '/v1/namespaces',
  operationId: 'listNamespaces',
  tag,
  summary:
    'Temporal namespaces with waiting claims or running firings and, for all tenants, those that fail every call',
  scope: 'read',
  answers: {
    200: {
      description: 'The namespaces',
      schema: z.object({ namespaces: z.array(namespace) }).meta({ id: 'Namespaces' }),
    },
  },
  handle: async ({ client }) => ({ body: { namespaces: (await client.overview()).namespaces } }),
});

export const ledgerRoutes: AnyOperation[] = [readStats, readScheduleStats, listTriggers, listNamespaces];
