import { z } from 'zod';
import { linkToNext } from '../../link';
import { operation } from '../../operation';
import { rowsOf, TROUBLES, type Trouble, troubledPage } from '../../overview/schedule-rows';
import { time } from '../../schemas/described';
import { count, flag, instant, text } from '../../schemas/query';

const PAGE_SIZE = 50;

const row = z
  .looseObject({
    scheduleId: z.string(),
    tenant: z.string(),
    namespace: z.string(),
    words: z.array(z.string()).describe('When it fires'),
    workflowType: z.string(),
    taskQueue: z.string(),
    frozen: z.object({ until: time }).optional().describe('The freeze that holds it now'),
    nextFireAt: time.optional().describe('Left out if a freeze or a pause holds it'),
    lastFireAt: time.optional(),
    failing: z.int().describe('Failures in a row, of its latest 14 answers'),
    trouble: z.object({ since: time, count: z.int() }).optional(),
    marks: z.array(z.looseObject({})).describe('Its latest 14 answers, the newest last'),
  })
  .meta({ id: 'ScheduleRow' });

const listRows = operation({
  method: 'GET',
  path: '/v1/schedule-rows',
  operationId: 'listScheduleRows',
  tag: 'overview',
  summary: 'List schedules with their latest answers',
  description:
    "The orders 'failing' (the longest row first, counted to 50) and 'lastOutcome' (the newest first) list failing schedules, by the newest 1,200 failures within 30 days. 'late' and 'pausedAt' list those late or paused. Each of these four orders lists at most 1,000, and ignores all filters but `text`, a part of the ID or of the note.",
  scope: 'read',
  query: z.strictObject({
    query: text.optional(),
    text: text.optional(),
    source: text.optional(),
    namespace: text.optional(),
    taskQueue: text.optional(),
    workflowType: text.optional(),
    paused: flag.optional(),
    completed: flag.optional(),
    from: instant.optional(),
    to: instant.optional(),
    orderBy: z.enum(['scheduleId', 'nextFireAt', ...TROUBLES]).optional(),
    cursor: text.optional(),
    pageSize: count(1, 200).optional().describe('50 unless given'),
  }),
  answers: {
    200: {
      description: 'One page',
      schema: z.object({
        rows: z.array(row),
        total: z.int().optional(),
        isCut: z
          .boolean()
          .optional()
          .describe('Whether more may match than are listed, of which there are at most 1,000'),
        nextCursor: z.string().optional(),
      }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async ({
    query: { orderBy = 'scheduleId', pageSize = PAGE_SIZE, ...asked },
    client,
    server,
    caller,
    url,
  }) => {
    const link = (nextCursor: string | undefined) => linkToNext({ url, server }, nextCursor);
    if (isTrouble(orderBy)) {
      const { text, cursor } = asked;
      const given = { trouble: orderBy, pageSize, ...(text ? { text } : {}), ...(cursor ? { cursor } : {}) };
      const page = await troubledPage({ server, client, tenant: caller.tenant }, given);
      return { body: page, headers: link(page.nextCursor) };
    }
    const { schedules, nextCursor } = await client.listPage({ ...asked, orderBy, pageSize });
    return { body: { rows: await rowsOf(server, schedules), nextCursor }, headers: link(nextCursor) };
  },
});

function isTrouble(order: string): order is Trouble {
  return (TROUBLES as readonly string[]).includes(order);
}

export const scheduleRowRoutes = [listRows];
