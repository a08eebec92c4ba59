import { z } from 'zod';
import { askUndo } from '../../../client/bulk/ask';
import { getOperation, readStatus, withState } from '../../../client/bulk/status';
import { readCursor, readText, writeCursor } from '../../../client/list/cursor';
import { BULK_OPERATION_STATES, BULK_OUTCOMES } from '../../../core/bulk';
import { type BulkOperation, cancelOperation, readOperations } from '../../../store/bulk/operations';
import { readOfOperation } from '../../../store/bulk/schedules';
import { linkToNext } from '../../link';
import { type Call, operation } from '../../operation';
import { ProblemError, problem } from '../../problems/problem';
import { count, flag, page } from '../../schemas/query';
import { bulkScheduleSchema, operationSchema } from './bulk-schemas';
import { carriedOut } from './start';

const tag = 'bulk';
const params = z.strictObject({ operationId: z.string() });
const LIMIT = 50;
const PAGE = 200;

const list = operation({
  method: 'GET',
  path: '/v1/operations',
  operationId: 'listOperations',
  tag,
  summary: 'List bulk changes of schedules, newest first',
  description: 'They are kept for 90 days after their end.',
  scope: 'read',
  query: z.strictObject({
    running: flag.optional().describe('Only operations in progress (true), or only others (false); all unless given'),
    limit: count(1, 1_000).optional().describe(`${LIMIT} unless given`),
  }),
  answers: {
    200: { description: 'The operations', schema: z.object({ operations: z.array(operationSchema) }) },
  },
  handle: async ({ server, caller: { tenant }, query: { running, limit = LIMIT } }) => {
    const states = BULK_OPERATION_STATES.filter((state) => running === undefined || running === (state === 'running'));
    const operations = await readOperations(server.store, { tenant, states, limit });
    return { body: { operations: operations.map(withState) } };
  },
});

const get = operation({
  method: 'GET',
  path: '/v1/operations/{operationId}',
  operationId: 'getOperation',
  tag,
  summary: 'Read a bulk change and its progress',
  scope: 'read',
  params,
  answers: { 200: { description: 'The operation', schema: operationSchema } },
  handle: async (call) => ({ body: await readStatus(contextOf(call), call.params.operationId) }),
});

const schedules = operation({
  method: 'GET',
  path: '/v1/operations/{operationId}/schedules',
  operationId: 'listOperationSchedules',
  tag,
  summary: 'Read the result for each schedule of a bulk change',
  description: 'By schedule ID.',
  scope: 'read',
  params,
  query: z.strictObject({ outcome: z.enum(BULK_OUTCOMES).optional(), ...page }),
  answers: {
    200: {
      description: 'One page',
      schema: z
        .object({ schedules: z.array(bulkScheduleSchema), nextCursor: z.string().optional() })
        .meta({ id: 'BulkSchedules' }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async (call) => {
    const { operationId } = await getOperation(contextOf(call), call.params.operationId);
    const { outcome, cursor, pageSize = PAGE } = call.query;
    const after = cursor === undefined ? undefined : readText(readCursor(cursor, 'bulk')[0]);
    const rows = await readOfOperation(call.server.store, operationId, { outcome, after, limit: pageSize + 1 });
    const shown = rows.slice(0, pageSize).map(({ scheduleId, outcome, error }) => ({ scheduleId, outcome, error }));
    const nextCursor = rows.length > pageSize ? writeCursor('bulk', [shown.at(-1)!.scheduleId]) : undefined;
    return { body: { schedules: shown, nextCursor }, headers: linkToNext(call, nextCursor) };
  },
});

const cancel = operation({
  method: 'POST',
  path: '/v1/operations/{operationId}/cancel',
  operationId: 'cancelOperation',
  tag,
  summary: 'Cancel a bulk change',
  description: 'Schedules that were already changed stay changed. An operation that has ended is not affected.',
  scope: 'operate',
  params,
  answers: { 200: { description: 'The operation as it is now', schema: operationSchema } },
  handle: async (call) => {
    const { operationId, kind } = await getOperation(contextOf(call), call.params.operationId);
    refuseWithout(call, kind);
    const { store, now } = call.server;
    await cancelOperation(store, operationId, { actor: call.caller.actor, now: now() });
    return { body: await readStatus(contextOf(call), operationId) };
  },
});

const undo = operation({
  method: 'POST',
  path: '/v1/operations/{operationId}/undo',
  operationId: 'undoOperation',
  tag,
  summary: 'Undo a bulk change, except where a definition or state (for a tag: labels) has changed since',
  description:
    'The undo is a separate operation. A pause is restored with its former end, and not restored if that end has passed.',
  scope: 'operate',
  params,
  answers: {
    202: {
      description: 'Accepted; a server carries it out',
      schema: operationSchema,
      headers: { location: 'Address with the progress' },
    },
  },
  handle: async (call) => {
    const { server, caller, params } = call;
    const context = server.contextOf(caller);
    refuseWithout(call, (await getOperation(context, params.operationId)).kind);
    return carriedOut(server, await askUndo(context, params.operationId, caller.token ?? null));
  },
});

type OfOperation = Pick<Call<{ operationId: string }>, 'params' | 'server' | 'caller'>;

const contextOf = ({ server, caller }: OfOperation) => server.contextOf(caller);

/** Checks the scope: changing labels requires the scope `write`. @throws {ProblemError} 403 */
function refuseWithout({ caller }: OfOperation, kind: BulkOperation['kind']): void {
  if (kind !== 'tag' || caller.scopes.has('write')) return;
  const detail = "a change of labels needs the scope 'write', which the token does not have";
  throw new ProblemError(problem(403, 'forbidden', 'The token does not allow this', detail));
}

export const operationRoutes = [list, get, schedules, cancel, undo];
