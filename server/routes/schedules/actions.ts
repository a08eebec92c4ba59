import { z } from 'zod';
import { given } from '../../../core/given';
import { OVERLAP_POLICIES } from '../../../core/schedule/policies';
import { operation } from '../../operation';
import { duringFreezeSchema, firingSchema, handedOverSchema } from '../../schemas/described';
import { encodedArgs } from '../../schemas/schedule';
import { scheduleParams } from './params';

const tag = 'schedules';
const note = z.string().optional().describe('Why, for people');
const overlap = z.enum(OVERLAP_POLICIES).optional();
const duringFreeze = duringFreezeSchema.optional();

const pause = operation({
  method: 'POST',
  path: '/v1/schedules/{scheduleId}/pause',
  operationId: 'pauseSchedule',
  tag,
  summary: 'Pause a schedule',
  description:
    'Until it is unpaused, or `until` is over, no firing of its spec starts, unless redriven, or announced or handed over before.',
  scope: 'operate',
  params: scheduleParams,
  body: z
    .strictObject({
      note,
      until: z
        .union([z.string(), z.number()])
        .optional()
        .describe(
          "When the pause ends by itself: an instant, local time in the schedule's zone, or a duration from now",
        ),
    })
    .meta({ id: 'Pause' }),
  bodyIsOptional: true,
  answers: { 200: { description: 'It is paused', schema: handedOverSchema } },
  handle: async ({ client, params, body }) => ({ body: await client.getHandle(params.scheduleId).pause(given(body)) }),
});

const unpause = operation({
  method: 'POST',
  path: '/v1/schedules/{scheduleId}/unpause',
  operationId: 'unpauseSchedule',
  tag,
  summary: 'Unpause a schedule from now on',
  description: 'A gap records the occurrences during the pause.',
  scope: 'operate',
  params: scheduleParams,
  body: z.strictObject({ note }).meta({ id: 'Note' }),
  bodyIsOptional: true,
  answers: { 200: { description: 'It continues', schema: z.strictObject({}) } },
  handle: async ({ client, params, body }) => {
    await client.getHandle(params.scheduleId).unpause(body.note);
    return { body: {} };
  },
});

const trigger = operation({
  method: 'POST',
  path: '/v1/schedules/{scheduleId}/trigger',
  operationId: 'triggerSchedule',
  tag,
  summary: 'Fire once now, in addition to the spec',
  description:
    'Works while paused, but not in shadow, and during a freeze only with duringFreeze. The firing is buffered until a trigger claims it, usually within a second.',
  scope: 'operate',
  params: scheduleParams,
  body: z
    .strictObject({
      overlap: overlap.describe('ALLOW_ALL unless given'),
      duringFreeze,
      args: z
        .union([z.array(z.unknown()), encodedArgs])
        .optional()
        .describe("Replaces the schedule's arguments for this firing"),
    })
    .meta({ id: 'Trigger' }),
  bodyIsOptional: true,
  answers: { 201: { description: 'The firing', schema: firingSchema } },
  handle: async ({ client, params, body }) => ({ body: await client.getHandle(params.scheduleId).trigger(body) }),
});

const range = z
  .strictObject({
    start: z.string().describe("Inclusive: an instant, or without an offset local time in the schedule's zone"),
    end: z.string().describe('Inclusive'),
    overlap: overlap.describe("The schedule's own policy unless given"),
  })
  .meta({ id: 'BackfillRange' });

const backfill = operation({
  method: 'POST',
  path: '/v1/schedules/{scheduleId}/backfill',
  operationId: 'backfillSchedule',
  tag,
  summary: 'Fire past occurrences that have no firing',
  description: 'If a call was interrupted, call it again to finish. With dryRun nothing is written.',
  scope: 'operate',
  params: scheduleParams,
  body: z
    .strictObject({
      ranges: z.array(range).min(1).max(100),
      dryRun: z.boolean().optional(),
      refire: z
        .boolean()
        .optional()
        .describe('Also retired months and `native` gaps, where it is not known what fired'),
      duringFreeze,
    })
    .meta({ id: 'Backfill' }),
  answers: {
    200: {
      description: 'What was done, or would be',
      schema: z
        .object({
          occurrences: z.int(),
          filled: z.int(),
          skipping: z.int(),
          alreadyFired: z.int(),
          leftToTrigger: z.int(),
          leftToNative: z.int().optional(),
          first: z.string().optional(),
          last: z.string().optional(),
        })
        .meta({ id: 'BackfillResult' }),
    },
  },
  handle: async ({ client, params, body: { ranges, ...how } }) => ({
    body: await client.getHandle(params.scheduleId).backfill(ranges.map((one) => ({ ...given(one), ...given(how) }))),
  }),
});

export const scheduleActionRoutes = [pause, unpause, trigger, backfill];
