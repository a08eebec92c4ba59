import { z } from 'zod';
import { checkOptions } from '../../core/options';
import type { ScheduleOptions } from '../../core/schedule/options';
import { operation } from '../operation';
import { newSchedule } from '../schemas/schedule';
import { fromWire } from './schedules/wire';

const MOST_SCHEDULES = 100_000;

const applySource = operation({
  method: 'PUT',
  path: '/v1/sources/{source}',
  operationId: 'applySource',
  tag: 'sources',
  summary: 'Make the schedules match the ones that a program declares',
  description:
    'Creates new schedules, updates definitions and labels that differ, and with prune deletes what the source no longer declares. The whole list is validated before anything is written. If a call was interrupted, repeat it to finish the work.',
  scope: 'write',
  params: z.strictObject({
    source: z.string().describe('Name of the program that declares them, such as the service that is deployed'),
  }),
  body: z
    .strictObject({
      revision: z.int().min(0).describe('Number that grows with each deploy; a lower one is refused'),
      schedules: z.array(newSchedule).max(MOST_SCHEDULES),
      prune: z.boolean().optional().describe('Delete schedules that the source no longer declares'),
      pruneAtMost: z.int().min(0).optional(),
      takeOver: z.boolean().optional().describe('Also take over schedules that a person or another source registered'),
      dryRun: z.boolean().optional().describe('Write nothing, and return what would be done'),
      onStale: z.enum(['throw', 'ignore']).optional(),
    })
    .meta({ id: 'Apply' }),
  checksBody: true,
  answers: {
    200: {
      description: 'What was done, or would be',
      schema: z
        .object({
          source: z.string(),
          revision: z.int(),
          status: z.enum(['applied', 'planned', 'stale']),
          currentRevision: z.int().optional(),
          created: z.array(z.string()),
          updated: z.array(z.object({ scheduleId: z.string(), changed: z.array(z.string()) })),
          unchanged: z.array(z.string()),
          pruned: z.array(z.string()),
          ended: z.array(z.string()),
        })
        .meta({ id: 'ApplyResult' }),
    },
  },
  handle: async ({ client, params: { source }, body }) => {
    // The client validates the whole list, and its errors name the schedules.
    const { schedules, ...how } = checkedCall(body);
    return { body: await client.apply(schedules.map(fromWire) as ScheduleOptions[], { ...how, source } as never) };
  },
});

const call = z.looseObject({
  schedules: z.array(z.unknown()).max(MOST_SCHEDULES),
  // The client's own options have this field, which would name another source than the one in the path.
  source: z.custom<never>(() => false, 'is not a field here; the path names the source').optional(),
});

function checkedCall(body: unknown): { schedules: unknown[] } & Record<string, unknown> {
  checkOptions(call, body);
  return body as { schedules: unknown[] };
}

const listSources = operation({
  method: 'GET',
  path: '/v1/sources',
  operationId: 'listSources',
  tag: 'sources',
  summary: 'List the sources that declare schedules, with their revisions',
  scope: 'read',
  answers: {
    200: {
      description: 'The sources',
      schema: z
        .object({ sources: z.array(z.looseObject({ source: z.string(), revision: z.int() })) })
        .meta({ id: 'Sources' }),
    },
  },
  handle: async ({ client }) => ({ body: { sources: await client.sources.list() } }),
});

export const sourceRoutes = [listSources, applySource];
