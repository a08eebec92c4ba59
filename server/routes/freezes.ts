import { z } from 'zod';
import { FREEZE_CATCH_UPS } from '../../core/decisions/freeze';
import { given } from '../../core/given';
import type { FreezeOptions } from '../../index';
import { operation } from '../operation';
import { firingSchema, time } from '../schemas/described';
import { count, flag } from '../schemas/query';

const tag = 'freezes';

const freezeFields = {
  tenant: z.string().nullable().describe('Tenant of the freeze; null for all tenants'),
  source: z.string().nullable(),
  query: z.string().nullable(),
  scheduleIds: z.array(z.string()).nullable(),
  from: time.describe('Occurrences due at this instant or later are held back'),
  to: time.describe('Occurrences due at this instant or later are no longer held back'),
  catchUp: z.enum(FREEZE_CATCH_UPS),
  note: z.string().nullable(),
  actor: z.string(),
  createdAt: time,
  endedAt: time.nullable(),
  endedBy: z.string().nullable(),
};

const freeze = z.object({ freezeId: z.string(), ...freezeFields }).meta({ id: 'Freeze' });

const instant = z.iso.datetime({ offset: true });

const listFreezes = operation({
  method: 'GET',
  path: '/v1/freezes',
  operationId: 'listFreezes',
  tag,
  summary: "List the caller's freezes, in force or planned, the latest beginning first",
  scope: 'read',
  query: z.strictObject({
    ended: flag.optional().describe('Include freezes that are over; false unless given'),
    limit: count(1, 10_000).optional().describe('200 unless given'),
  }),
  answers: { 200: { description: 'The freezes', schema: z.object({ freezes: z.array(freeze) }) } },
  handle: async ({ client, query }) => ({ body: { freezes: await client.freezes.list(given(query)) } }),
});

const createFreeze = operation({
  method: 'POST',
  path: '/v1/freezes',
  operationId: 'createFreeze',
  tag,
  summary: 'Freeze schedules: hold back the occurrences of their specs, such as during a release',
  description:
    'Give all: true, or some of scheduleIds, source, query and tenant: a schedule must match each of them. Occurrences due before the freeze start during it. With dryRun nothing is written, and the answer shows what the freeze would hold back.',
  scope: 'operate',
  body: z
    .strictObject({
      from: instant.optional().describe('Now unless given'),
      to: instant,
      source: z.string().optional(),
      query: z.string().optional().describe('A list filter'),
      scheduleIds: z.array(z.string()).min(1).max(10_000).optional(),
      tenant: z.string().optional(),
      all: z.boolean().optional().describe('All schedules of the caller'),
      catchUp: z
        .enum(FREEZE_CATCH_UPS)
        .optional()
        .describe('Which held-back occurrences fire when it ends; NONE unless given'),
      note: z.string().optional(),
      dryRun: z.boolean().optional(),
    })
    .meta({ id: 'NewFreeze' }),
  answers: {
    201: {
      description: 'The freeze is registered',
      schema: z
        .object({
          freeze: z.object({ freezeId: z.string().optional(), ...freezeFields }),
          schedules: z.int().describe('Number of live schedules that match'),
          handedOver: z.array(firingSchema).describe('Firings that were claimed ahead of their time, and start anyway'),
          frozen: z
            .array(
              z.object({
                scheduleId: z.string(),
                occurrences: z.int(),
                first: time.optional(),
                last: time.optional(),
              }),
            )
            .optional()
            .describe('For a dry run: what it would hold back'),
        })
        .meta({ id: 'FreezeResult' }),
    },
    200: { description: 'For a dry run: what it would do', schema: z.looseObject({}) },
  },
  handle: async ({ client, body }) => {
    const { from, to, ...rest } = body;
    const options = { ...given(rest), to: new Date(to), ...(from !== undefined && { from: new Date(from) }) };
    const result = await client.freezes.create(options as FreezeOptions);
    return { status: body.dryRun ? 200 : 201, body: result };
  },
});

const params = z.strictObject({ freezeId: z.string().describe('Its key, a UUID') });

const getFreeze = operation({
  method: 'GET',
  path: '/v1/freezes/{freezeId}',
  operationId: 'getFreeze',
  tag,
  summary: 'Read one freeze, also after its end',
  scope: 'read',
  params,
  answers: { 200: { description: 'The freeze', schema: freeze } },
  handle: async ({ client, params: { freezeId } }) => ({ body: await client.freezes.get(freezeId) }),
});

const endFreeze = operation({
  method: 'POST',
  path: '/v1/freezes/{freezeId}/end',
  operationId: 'endFreeze',
  tag,
  summary: 'End a freeze early',
  description:
    'Its schedules usually continue within a second, unless another freeze holds them. A schedule that was locked at that moment continues after a minute or two.',
  scope: 'operate',
  params,
  answers: { 200: { description: 'The freeze as it is now', schema: freeze } },
  handle: async ({ client, params: { freezeId } }) => ({ body: await client.freezes.end(freezeId) }),
});

export const freezeRoutes = [listFreezes, createFreeze, getFreeze, endFreeze];
