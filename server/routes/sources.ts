import { z } from 'zod';
import { checkOptions } from '../../core/options';
import type { ScheduleOptions } from '../../core/schedule';
import { operation } from '../operation';
import { newSchedule } from '../schemas/schedule';
import { fromWire } from './schedules/wire';

const MOST_SCHEDULES = 100_000;

const applySource = operation({
  method: 'PUT',
  path: '/v1/sources/{source}',
  operationId: 'applySource',
  tag: 'sources',
  summary: 'Bring schedules to what a program declares',
  description:
    'Creates what is new, updates what differs, leaves alone what does not, and with prune deletes what the same source declared before. All is checked before anything is written. A call that was interrupted is finished by the next.',
  scope: 'write',
  params: z.strictObject({ source: z.string().describe('What declares them, such as the service that deploys') }),
  body: z
    .strictObject({
      revision: z.int().min(0).describe('Grows from deploy to deploy; a lower one is refused'),
      schedules: z.array(newSchedule).max(MOST_SCHEDULES),
      prune: z.boolean().optional().describe('Delete what the source declared before and does not any more'),
      pruneAtMost: z.int().min(0).optional(),
      takeOver: z.boolean().optional().describe('Also schedules that a person or another source registered'),
      dryRun: z.boolean().optional().describe('Write nothing, and say what would be done'),
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
    // The client checks the whole list, and tells what is wrong by the names of the schedules.
    const { schedules, ...how } = checkedCall(body);
    return { body: await client.apply(schedules.map(fromWire) as ScheduleOptions[], { source, ...how } as never) };
  },
});

const call = z.looseObject({ schedules: z.array(z.unknown()).max(MOST_SCHEDULES) });

function checkedCall(body: unknown): { schedules: unknown[] } & Record<string, unknown> {
  checkOptions(call, body);
  return body as { schedules: unknown[] };
}

const listSources = operation({
  method: 'GET',
  path: '/v1/sources',
  operationId: 'listSources',
  tag: 'sources',
  summary: 'What declares schedules, and its revision',
  scope: 'read',
  answers: {
    200: {
      description: 'They',
      schema: z
        .object({ sources: z.array(z.looseObject({ source: z.string(), revision: z.int() })) })
        .meta({ id: 'Sources' }),
    },
  },
  handle: async ({ client }) => ({ body: { sources: await client.sources.list() } }),
});

export const sourceRoutes = [listSources, applySource];
