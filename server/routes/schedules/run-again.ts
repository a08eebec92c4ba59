import { z } from 'zod';
import { OVERLAP_POLICIES } from '../../../core/schedule/policies';
import { operation } from '../../operation';
import { duringFreezeSchema, firingSchema } from '../../schemas/described';

export const runAgain = operation({
  method: 'POST',
  path: '/v1/schedules/{scheduleId}/firings/{time}/run-again',
  operationId: 'runAgain',
  tag: 'firings',
  summary: 'Run a past occurrence again',
  description:
    'It keeps its nominal time, and uses the current definition unless it had its own arguments. An occurrence that completed, or may have, needs confirm.',
  scope: 'operate',
  params: z.strictObject({
    scheduleId: z.string().describe('Name of the schedule'),
    time: z.string().describe("Nominal time: ISO 8601, or without an offset local time in the schedule's zone"),
  }),
  body: z
    .strictObject({
      overlap: z.enum(OVERLAP_POLICIES).optional().describe("The schedule's own policy unless given"),
      confirm: z.boolean().optional(),
      note: z.string().optional(),
      duringFreeze: duringFreezeSchema.optional(),
    })
    .meta({ id: 'RunAgain' }),
  bodyIsOptional: true,
  answers: { 201: { description: 'The firing', schema: firingSchema } },
  handle: async ({ client, params: { scheduleId, time }, body }) => ({
    body: await client
      .getHandle(scheduleId)
      .runAgain(time, body as Parameters<ReturnType<typeof client.getHandle>['runAgain']>[1]),
  }),
});
