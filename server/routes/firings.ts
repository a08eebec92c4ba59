import { z } from 'zod';
import { FIRING_KINDS, FIRING_OUTCOMES, FIRING_STATES } from '../../core/firing';
import { linkToNext } from '../link';
import { type AnyOperation, operation } from '../operation';
import { firingSchema, time } from '../schemas/described';
import { instant, page, text, words } from '../schemas/query';

const tag = 'firings';

const listFirings = operation({
  method: 'GET',
  path: '/v1/firings',
  operationId: 'listFirings',
  tag,
  summary: 'List firings of all schedules',
  description: 'Includes firings of deleted schedules. Newest first unless order says otherwise.',
  scope: 'read',
  query: z.strictObject({
    scheduleId: text.optional(),
    from: instant.optional().describe('Earliest nominal time, inclusive'),
    to: instant.optional().describe('Latest nominal time, exclusive'),
    state: words(FIRING_STATES).optional(),
    outcome: words(FIRING_OUTCOMES).optional(),
    kind: words(FIRING_KINDS).optional(),
    namespace: text.optional(),
    source: text.optional(),
    taskQueue: text.optional(),
    workflowType: text.optional(),
    text: text.optional().describe("Part of the schedule's ID or of its note"),
    order: z.enum(['newest', 'oldest']).optional(),
    ...page,
  }),
  answers: {
    200: {
      description: 'One page',
      schema: z.object({ firings: z.array(firingSchema), nextCursor: z.string().optional() }).meta({ id: 'Firings' }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async ({ client, query, ...call }) => {
    const found = await client.firingsPage(query);
    return { body: found, headers: linkToNext(call, found.nextCursor) };
  },
});

const gap = z
  .object({
    scheduleId: z.string(),
    from: time.describe('Nominal time of the first occurrence in the gap'),
    to: time.describe('Nominal time of the last occurrence in the gap'),
    count: z
      .int()
      .describe(
        'Number of occurrences that did not fire when the gap was written; a later backfill may have fired some',
      ),
    reason: z.string(),
    recordedAt: time,
    freezeId: z.string().nullable(),
  })
  .meta({ id: 'Gap' });

const listGaps = operation({
  method: 'GET',
  path: '/v1/gaps',
  operationId: 'listGaps',
  tag,
  summary: 'List gaps: occurrences that did not fire by themselves, and why',
  description: 'Gaps of all schedules, the most recently written first.',
  scope: 'read',
  query: z.strictObject({
    scheduleId: text.optional(),
    from: instant.optional().describe('Written at this time or later'),
    to: instant.optional().describe('Written before this time'),
    ...page,
  }),
  answers: {
    200: {
      description: 'One page',
      schema: z.object({ gaps: z.array(gap), nextCursor: z.string().optional() }).meta({ id: 'Gaps' }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async ({ client, query, ...call }) => {
    const found = await client.gapsPage(query);
    return { body: found, headers: linkToNext(call, found.nextCursor) };
  },
});

export const firingRoutes: AnyOperation[] = [listFirings, listGaps];
