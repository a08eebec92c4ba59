import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readCursor, readText, writeCursor } from '../../../client/list/cursor';
import { BULK_OUTCOMES } from '../../../core/bulk';
import {
  type BulkCounts,
  type BulkOperation,
  cancelOperation,
  insertOperation,
  readOperation,
  readOperations,
} from '../../../store/bulk/operations';
import { readOfOperation } from '../../../store/bulk/schedules';
import { transact } from '../../../store/transaction';
import { linkToNext } from '../../link';
import { type Call, operation } from '../../operation';
import { ProblemError, problem } from '../../problems/problem';
import { count, flag, page } from '../../schemas/query';
import { bulkScheduleSchema, operationSchema } from './bulk-schemas';
import { asAnswered } from './start';

const tag = 'bulk';
const params = z.strictObject({ operationId: z.string() });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ERRORS_SHOWN = 100;
const LIMIT = 50;
const PAGE = 200;

const list = operation({
  method: 'GET',
  path: '/v1/operations',
  operationId: 'listOperations',
  tag,
  summary: 'List changes of many schedules, the last that was asked for first',
  description: 'They are kept for 90 days.',
  scope: 'read',
  query: z.strictObject({
    running: flag.optional().describe('Those that are under way, or those that are not; all unless given'),
    limit: count(1, 1_000).optional().describe(`${LIMIT} unless given`),
  }),
  answers: {
    200: { description: 'The operations', schema: z.object({ operations: z.array(operationSchema) }) },
  },
  handle: async ({ server, caller: { tenant }, query: { running, limit = LIMIT } }) => {
    const operations = await readOperations(server.store, { tenant, running, limit });
    return { body: { operations: operations.map(asAnswered) } };
  },
});

const get = operation({
  method: 'GET',
  path: '/v1/operations/{operationId}',
  operationId: 'getOperation',
  tag,
  summary: 'How far a change of many schedules has come',
  scope: 'read',
  params,
  answers: { 200: { description: 'The operation', schema: operationSchema } },
  handle: async (call) => ({ body: await answered(call) }),
});

const schedules = operation({
  method: 'GET',
  path: '/v1/operations/{operationId}/schedules',
  operationId: 'listOperationSchedules',
  tag,
  summary: 'What became of each schedule of a change of many',
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
    const { operationId } = await found(call);
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
  summary: 'Leave the rest of a change of many schedules undone',
  description: 'What is changed by then stays so, and can be undone. One that is over stays as it is.',
  scope: 'operate',
  params,
  answers: { 200: { description: 'The operation as it is now', schema: operationSchema } },
  handle: async (call) => {
    const { operationId, kind } = await found(call);
    refuseWithout(call, kind);
    const { store, now } = call.server;
    await cancelOperation(store, operationId, { actor: call.caller.actor, now: now() });
    return { body: await answered(call) };
  },
});

const undo = operation({
  method: 'POST',
  path: '/v1/operations/{operationId}/undo',
  operationId: 'undoOperation',
  tag,
  summary: 'Take back what a change of many schedules changed, where nobody changed it since',
  description:
    'An operation of its own. A pause that is made again lasts until its former end; one whose end is over by now is not made again.',
  scope: 'operate',
  params,
  answers: {
    202: {
      description: 'It is asked for; a server carries it out',
      schema: operationSchema,
      headers: { location: 'Where it says how far it has come' },
    },
  },
  handle: async (call) => {
    const { server, caller } = call;
    const { operationId, kind, undoes, endedAt, undoneBy, filter, tenant } = await found(call);
    refuseWithout(call, kind);
    if (kind === 'trigger') throw cannot('what was fired stays fired');
    if (undoes !== null) throw cannot('it takes another one back itself: ask for that one again');
    if (endedAt === null) throw cannot('it is under way: cancel it first');
    if (undoneBy !== null) throw cannot(`operation ${undoneBy} takes it back`);
    const made = await transact(server.store, (transaction) =>
      insertOperation(
        transaction,
        {
          operationId: randomUUID(),
          kind,
          undoes: operationId,
          tenant,
          actor: caller.actor,
          token: caller.token ?? null,
          filter,
          change: {},
          perSecond: null,
          createdAt: server.now(),
        },
        { undoes: operationId },
      ),
    );
    if (!made) throw cannot('another operation takes it back');
    server.bulk.wake();
    const location = `${server.basePath}/v1/operations/${made.operationId}`;
    return { body: asAnswered({ ...made, changed: 0, unchanged: 0, failed: 0 }), headers: { location } };
  },
});

function cannot(detail: string): ProblemError {
  return new ProblemError(problem(409, 'cannot-undo', 'The operation cannot be undone', detail));
}

type OfOperation = Pick<Call<{ operationId: string }>, 'params' | 'server' | 'caller'>;

/** @throws {ProblemError} 404, also for another tenant's */
async function found({ params: { operationId }, server, caller }: OfOperation): Promise<BulkOperation & BulkCounts> {
  const read = UUID.test(operationId) ? await readOperation(server.store, operationId, caller.tenant) : undefined;
  if (read) return read;
  const detail = `operation '${operationId}' was not found; list those that are there`;
  throw new ProblemError(problem(404, 'operation-not-found', 'There is no such operation', detail));
}

async function answered(call: OfOperation) {
  const read = await found(call);
  const failed = await readOfOperation(call.server.store, read.operationId, {
    outcome: 'failed',
    after: undefined,
    limit: ERRORS_SHOWN,
  });
  const errors = failed.map(({ scheduleId, error }) => ({ scheduleId, error: error ?? '' }));
  return { ...asAnswered(read), errors };
}

/** Labels are written by who may write. @throws {ProblemError} 403 */
function refuseWithout({ caller }: OfOperation, kind: BulkOperation['kind']): void {
  if (kind !== 'tag' || caller.scopes.has('write')) return;
  const detail = "a change of labels needs the scope 'write', and the token does not allow it";
  throw new ProblemError(problem(403, 'forbidden', 'The token does not allow it', detail));
}

export const operationRoutes = [list, get, schedules, cancel, undo];
