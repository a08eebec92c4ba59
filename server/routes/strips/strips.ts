import { z } from 'zod';
import { operation } from '../../operation';
import { stripsOf } from '../../overview/strips';
import { visibleIds } from '../../overview/visible';
import { time } from '../../schemas/described';
import { count, flag, text } from '../../schemas/query';

const instant = time;
const mark = z
  .looseObject({
    answer: z.enum(['firing', 'gap']),
    at: instant.describe('Nominal time; for a gap, the first one'),
    to: instant.optional().describe('For a gap: nominal time of its last occurrence'),
    count: z.number().describe('How many occurrences; 1 for a firing'),
    look: z.enum(['completed', 'failed', 'other', 'running', 'waiting', 'skipped', 'abandoned', 'gap']),
  })
  .meta({ id: 'StripMark' });

const getStrips = operation({
  method: 'GET',
  path: '/v1/strips',
  operationId: 'getStrips',
  tag: 'overview',
  summary: 'The latest answers of some schedules, including gaps',
  scope: 'read',
  query: z.strictObject({
    scheduleId: z
      .preprocess((given) => [given].flat(), z.array(text).min(1).max(200))
      .meta({
        type: 'array',
        items: { type: 'string' },
      }),
    last: count(1, 500).optional().describe('Number of answers for each; 200 unless given'),
    errors: flag.optional().describe('Whether to include the reasons of failures; false unless given'),
  }),
  answers: {
    200: {
      description: 'By schedule, the newest last',
      schema: z.object({ now: instant, strips: z.record(z.string(), z.array(mark)) }),
    },
  },
  handle: async ({ server, caller, query: { scheduleId, last = 200, errors = false } }) => {
    const scheduleIds = await visibleIds(server, scheduleId, caller.tenant);
    const now = server.now();
    return { body: { now, strips: await stripsOf(server.store, { scheduleIds, last, now, withErrors: errors }) } };
  },
});

export const stripRoutes = [getStrips];
