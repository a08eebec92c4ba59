import { z } from 'zod';
import { Turns } from '../../../client/in-turns';
import { linkToNext } from '../../link';
import { operation } from '../../operation';
import { summarySchema } from '../../schemas/described';
import { flag, instant, page, text } from '../../schemas/query';
import { toWire } from './wire';

const query = z.strictObject({
  query: text
    .optional()
    .describe(
      "A filter in the grammar of Temporal's list filters, such as TemporalSchedulePaused = true AND taskQueue STARTS_WITH 'eu-'",
    ),
  text: text.optional().describe('Part of the ID or of the note, in upper or lower case'),
  tenant: text.optional(),
  source: text.optional().describe('The source that declared it'),
  owner: text.optional().describe('Its owner'),
  externalId: text.optional().describe('ID in another system'),
  namespace: text.optional(),
  taskQueue: text.optional(),
  workflowType: text.optional(),
  paused: flag.optional(),
  completed: flag.optional(),
  from: instant.optional().describe('Earliest next fire time, inclusive'),
  to: instant.optional().describe('Latest next fire time, exclusive'),
  orderBy: z.enum(['scheduleId', 'nextFireAt']).optional().describe('scheduleId unless given'),
  ...page,
});

export const listSchedules = operation({
  method: 'GET',
  path: '/v1/schedules',
  operationId: 'listSchedules',
  tag: 'schedules',
  summary: 'List live schedules',
  description: 'Schedules that match every given filter. A change between two pages never hides another schedule.',
  scope: 'read',
  query,
  answers: {
    200: {
      description: 'One page',
      schema: z
        .object({ schedules: z.array(summarySchema), nextCursor: z.string().optional() })
        .meta({ id: 'SchedulePage' }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async ({ query: asked, client, ...call }) => {
    const { schedules, nextCursor } = await client.listPage(asked);
    const turns = new Turns();
    const listed = [];
    for (const schedule of schedules) {
      // The copy has the next times, which are computed as they are first read. JSON would compute all in one turn.
      listed.push({ ...toWire(schedule), info: { ...schedule.info } });
      await turns.next();
    }
    return { body: { schedules: listed, nextCursor }, headers: linkToNext(call, nextCursor) };
  },
});
