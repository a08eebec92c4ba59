import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { BulkChange } from '../../../client/bulk/change-one';
import { type BulkFilter, choose } from '../../../client/bulk/choose';
import { endOfPause } from '../../../client/update/pause';
import type { BulkKind } from '../../../core/bulk';
import { InvalidOptionError } from '../../../core/errors';
import { LONGEST_NOTE } from '../../../core/option-fields';
import { OVERLAP_POLICIES } from '../../../core/schedule';
import { countChosen, insertOperation, readChosen } from '../../../store/bulk/operations';
import { transact } from '../../../store/transaction';
import { type Answer, type Call, operation } from '../../operation';
import { ProblemError, problem } from '../../problems/problem';
import { refuseInvalid } from '../../problems/refuse-invalid';
import { bulkFields, bulkPlanSchema, operationSchema } from './bulk-schemas';

const tag = 'bulk';
const SHOWN = 100;
/** A schedule that is triggered starts a workflow: they are not to come all at once. */
const TRIGGERED_PER_SECOND = 20;

type Body = z.output<z.ZodObject<typeof bulkFields>> & BulkChange;

const answers = {
  202: {
    description: 'It is asked for; a server carries it out',
    schema: operationSchema,
    headers: { location: 'Where it says how far it has come' },
  },
  200: { description: 'Of a dry run, what it would be about', schema: bulkPlanSchema },
};
const note = z.string().max(LONGEST_NOTE).optional().describe('Why, for people');

const pause = operation({
  method: 'POST',
  path: '/v1/bulk/pause',
  operationId: 'bulkPause',
  tag,
  summary: 'Pause every schedule that matches',
  description: 'Those that are paused already stay as they are. Can be undone.',
  scope: 'operate',
  body: z
    .strictObject({
      ...bulkFields,
      note,
      until: z
        .union([z.string(), z.number()])
        .optional()
        .describe("When the pause ends by itself: an instant, local time in each schedule's zone, or a duration"),
    })
    .meta({ id: 'BulkPause' }),
  answers,
  handle: (call) => {
    const { until } = call.body;
    // What cannot be of any schedule is refused here, and not of each.
    endOfPause({ now: call.server.now(), definition: { spec: {} } as never }, until);
    return start(call, 'pause');
  },
});

const unpause = operation({
  method: 'POST',
  path: '/v1/bulk/unpause',
  operationId: 'bulkUnpause',
  tag,
  summary: 'Unpause every schedule that matches',
  description: 'Those that are not paused stay as they are. Can be undone.',
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
      duringFreeze: z.boolean().optional().describe('Also those that a freeze holds'),
    })
    .meta({ id: 'BulkTrigger' }),
  answers,
  handle: (call) => start({ ...call, body: { perSecond: TRIGGERED_PER_SECOND, ...call.body } }, 'trigger'),
});

const tagAll = operation({
  method: 'POST',
  path: '/v1/bulk/tag',
  operationId: 'bulkTag',
  tag,
  summary: 'Set owner, run-book and search attributes of every schedule that matches',
  description: 'What is left out stays; null takes it away. Can be undone.',
  scope: 'write',
  body: z
    .strictObject({
      ...bulkFields,
      owner: z.string().nullable().optional(),
      runbook: z.string().nullable().optional(),
      searchAttributes: z
        .record(z.string(), z.array(z.unknown()).nullable())
        .optional()
        .describe('By name, as a list; others of the schedule stay'),
    })
    .meta({ id: 'BulkTag' }),
  answers,
  handle: (call) => {
    const { owner, runbook, searchAttributes } = call.body;
    if ([owner, runbook, searchAttributes].every((part) => part === undefined)) {
      throw new InvalidOptionError('owner', 'is missing: say owner, runbook or searchAttributes');
    }
    const set = Object.entries(searchAttributes ?? {}).filter(([, values]) => values !== null);
    refuseInvalid(
      call.client.check({
        scheduleId: 'tagged',
        spec: {},
        action: { type: 'startWorkflow', workflowType: 'any', taskQueue: 'any' },
        ...(owner ? { owner } : {}),
        ...(runbook ? { runbook } : {}),
        searchAttributes: Object.fromEntries(set) as never,
      }),
    );
    return start(call, 'tag');
  },
});

/** Count and show, or write down what a server is to carry out. */
async function start(call: Call<unknown, unknown, Body>, kind: BulkKind): Promise<Answer> {
  const { caller, server, body } = call;
  const { filter, dryRun = false, expectedTotal, perSecond, ...change } = body;
  const choice = await choose(server.contextOf(caller), filter as BulkFilter);
  const { total, paused } = await countChosen(server.store, choice);
  if (dryRun) {
    const unchanged = kind === 'pause' ? paused : kind === 'unpause' ? total - paused : 0;
    return { status: 200, body: { total, unchanged, schedules: await readChosen(server.store, choice, SHOWN) } };
  }
  const made = await transact(server.store, async (transaction) => {
    const written = await insertOperation(
      transaction,
      {
        operationId: randomUUID(),
        kind,
        undoes: null,
        tenant: caller.tenant ?? null,
        actor: caller.actor,
        token: caller.token ?? null,
        filter,
        change,
        perSecond: perSecond ?? null,
        createdAt: server.now(),
      },
      choice,
    );
    // Counted again: it must be those that are changed.
    if (expectedTotal !== undefined && written!.total !== expectedTotal)
      throw otherTotal(expectedTotal, written!.total);
    return written!;
  });
  server.bulk.wake();
  const location = `${server.basePath}/v1/operations/${made.operationId}`;
  return { status: 202, body: asAnswered({ ...made, changed: 0, unchanged: 0, failed: 0 }), headers: { location } };
}

function otherTotal(expected: number, total: number): ProblemError {
  const detail = `${total} schedules match by now, and not ${expected}: run it dry again, and look`;
  return new ProblemError(problem(409, 'other-total', 'Other schedules match by now', detail, { total }));
}

/** With its state in a word. */
export function asAnswered<
  Read extends {
    total: number;
    changed: number;
    unchanged: number;
    failed: number;
    cancelledBy: string | null;
    endedAt: Date | null;
  },
>(read: Read) {
  const { total, changed, unchanged, failed, cancelledBy, endedAt } = read;
  const state = cancelledBy !== null ? 'cancelled' : endedAt ? 'done' : 'running';
  return { ...read, state, left: total - changed - unchanged - failed };
}

export const startBulkRoutes = [pause, unpause, trigger, tagAll];
