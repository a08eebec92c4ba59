import { z } from 'zod';
import { readLettersOverTime } from '../../../store/letters/over-time';
import { operation } from '../../operation';
import { time } from '../../schemas/described';
import { count } from '../../schemas/query';

const DAY = 86_400_000;

const lettersOverTime = operation({
  method: 'GET',
  path: '/v1/dead-letters/over-time',
  operationId: 'getLettersOverTime',
  tag: 'overview',
  summary: 'Count dead letters by cause and day, in any state',
  scope: 'read',
  query: z.strictObject({ days: count(1, 90).optional().describe('How far back; 14 unless given') }),
  answers: {
    200: {
      description: 'Counts; days without any are left out',
      schema: z.object({
        from: time,
        days: z.int(),
        counts: z.array(
          z.object({
            failureType: z.string(),
            step: z.string().nullable(),
            workflowType: z.string().nullable(),
            at: time,
            letters: z.int(),
          }),
        ),
      }),
    },
  },
  handle: async ({ server, caller, query: { days = 14 } }) => {
    const tomorrow = Math.ceil(server.now().getTime() / DAY) * DAY;
    const from = new Date(tomorrow - days * DAY);
    const query = { from, bucketMilliseconds: DAY, tenant: caller.tenant };
    return { body: { from, days, counts: await readLettersOverTime(server.store, query) } };
  },
});

export const letterTimeRoutes = [lettersOverTime];
