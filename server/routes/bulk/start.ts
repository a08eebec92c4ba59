import { z } from 'zod';
import { askBulk, checkEnd, planBulk, TRIGGERED_PER_SECOND, withTags } from '../../../client/bulk/ask';
import type { BulkChange } from '../../../client/bulk/change-one';
import type { BulkFilter } from '../../../client/bulk/choose';
import { withState } from '../../../client/bulk/status';
import type { BulkKind } from '../../../core/bulk';
import { LONGEST_NOTE } from '../../../core/option-fields';
import { OVERLAP_POLICIES } from '../../../core/schedule/policies';
import type { BulkOperation } from '../../../store/bulk/operations';
import type { ServerContext } from '../../context';
import { type Answer, type Call, operation } from '../../operation';
import { refuseInvalid } from '../../problems/refuse-invalid';
import { bulkFields, bulkPlanSchema, operationSchema } from './bulk-schemas';

const tag = 'bulk';

type Body = z.output<z.ZodObject<typeof bulkFields>> & BulkChange;

const answers = {
  202: {
    description: 'Accepted; a server carries it out',
    schema: operationSchema,
    headers: { location: 'Address with the progress' },
  },
  200: { description: 'For a dry run: what it would affect', schema: bulkPlanSchema },
};
const note = z.string().max(LONGEST_NOTE).optional().describe('Why, for people');

const pause = operation({
  method: 'POST',
  path: '/v1/bulk/pause',
  operationId: 'bulkPause',
  tag,
  summary: 'Pause every schedule that matches',
  description: 'Schedules that are already paused stay as they are. Can be undone.',
  scope: 'operate',
  body: z
    .strictObject({
      ...bulkFields,
      note,
      until: z
        .union([z.string(), z.number()])
        .optional()
        .describe(
          "When the pause ends by itself: an instant, local time in each schedule's zone, or a duration from the request",
        ),
    })
    .meta({ id: 'BulkPause' }),
  answers,
  handle: (call) => {
    checkEnd(call.server.now(), call.body.until);
    return start(call, 'pause');
  },
});

const unpause = operation({
  method: 'POST',
  path: '/v1/bulk/unpause',
  operationId: 'bulkUnpause',
  tag,
  summary: 'Unpause every schedule that matches',
  description: 'Schedules that are not paused stay as they are. Can be undone.',
  scope: 'operate',
  body: z.strictObject({ ...bulkFields, note }).meta({ id: 'BulkUnpause' }),
  answers,
  handle: (call) => start(call, 'unpause'),
});

const trigger = operation({
  method: 'POST',
  path: '/v1/bulk/trigger',
  operationId: 'bulkTrigger',
  tag,
  summary: 'Fire every schedule that matches once now',
  description: `${TRIGGERED_PER_SECOND} a second unless perSecond says otherwise. Cannot be undone; it can be cancelled.`,
  scope: 'operate',
  body: z
    .strictObject({
      ...bulkFields,
      overlap: z.enum(OVERLAP_POLICIES).optional().describe('ALLOW_ALL unless given'),
      duringFreeze: z.boolean().optional().describe('Also fire schedules that a freeze holds'),
    })
    .meta({ id: 'BulkTrigger' }),
  answers,
  handle: (call) => start(call, 'trigger'),
});

const tagAll = operation({
  method: 'POST',
  path: '/v1/bulk/tag',
  operationId: 'bulkTag',
  tag,
  summary: 'Set owner, run-book and search attributes of every schedule that matches',
  description: 'Fields that are left out stay; null removes the owner, the run-book or an attribute. Can be undone.',
  scope: 'write',
  body: z
    .strictObject({
      ...bulkFields,
      owner: z.string().nullable().optional(),
      runbook: z.string().nullable().optional(),
      searchAttributes: z
        .record(z.string(), z.array(z.unknown()).nullable())
        .optional()
        .describe('By name, as a list; other attributes of the schedule stay'),
    })
    .meta({ id: 'BulkTag' }),
  answers,
  handle: (call) => {
    refuseInvalid(call.client.check(withTags(call.body)));
    return start(call, 'tag');
  },
});

/** Counts and shows the schedules of a bulk change, or records an operation that a server carries out. */
async function start(call: Call<unknown, unknown, Body>, kind: BulkKind): Promise<Answer> {
  const { caller, server, body } = call;
  const { filter: asked, dryRun = false, expectedTotal, perSecond, ...change } = body;
  const [context, filter] = [server.contextOf(caller), asked as BulkFilter];
  if (dryRun) return { status: 200, body: await planBulk(context, kind, filter) };
  const token = caller.token ?? null;
  return carriedOut(server, await askBulk(context, { kind, filter, change, expectedTotal, perSecond, token }));
}

export function carriedOut(server: ServerContext, made: BulkOperation): Answer {
  server.bulk.wake();
  const location = `${server.basePath}/v1/operations/${made.operationId}`;
  const progress = { waitsFor: 'process' as const, changed: 0, unchanged: 0, failed: 0 };
  return { status: 202, body: withState({ ...made, ...progress }), headers: { location } };
}

export const startBulkRoutes = [pause, unpause, trigger, tagAll];
