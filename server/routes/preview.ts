import { z } from 'zod';
import { InvalidOptionError } from '../../core/errors';
import { given } from '../../core/given';
import { compileSpec } from '../../core/occurrences';
import { describeSpec } from '../../core/occurrences/describe';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { operation } from '../operation';
import { time } from '../schemas/described';
import { specSchema } from '../schemas/spec';

const MOST_TIMES = 1_000;

const preview = operation({
  method: 'POST',
  path: '/v1/preview',
  operationId: 'previewSpec',
  tag: 'schedules',
  summary: 'What a spec would mean: in words, and its next times',
  description: 'Writes nothing.',
  scope: 'read',
  body: z
    .strictObject({
      spec: specSchema,
      scheduleId: z
        .string()
        .min(1)
        .optional()
        .describe('Needed if spec.cron has `H`, which spreads schedules by their ID'),
      tenant: z
        .string()
        .optional()
        .describe("Tenant whose calendars the spec names; the caller's tenant, or none, unless given"),
      count: z.int().min(1).max(MOST_TIMES).optional().describe('5 unless given'),
      after: z.iso.datetime({ offset: true }).optional().describe('Exclusive; now unless given'),
    })
    .meta({ id: 'Preview' }),
  answers: {
    200: {
      description: 'What it means',
      schema: z.object({ description: z.array(z.string()), times: z.array(time) }).meta({ id: 'PreviewResult' }),
    },
  },
  handle: async ({ body: { spec, scheduleId, tenant, count, after }, client, server }) => {
    const instant = after === undefined ? server.now() : new Date(after);
    if (Number.isNaN(instant.getTime())) throw new InvalidOptionError('after', 'is not an instant');
    const named = scheduleId === undefined ? {} : { scheduleId };
    const filled = await client.calendars.fill(spec as ScheduleSpec, given({ tenant }));
    // A spec that a new schedule may not have is refused here too.
    compileSpec(filled, { ...named, given: true });
    const { lines, next } = describeSpec(filled, {
      after: instant,
      ...named,
      ...(count === undefined ? {} : { count }),
    });
    return { body: { description: lines, times: next } };
  },
});

export const previewRoutes = [preview];
