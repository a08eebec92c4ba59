import { randomUUID } from 'node:crypto';
import type { BulkKind } from '../../core/bulk';
import { InvalidOptionError } from '../../core/errors';
import type { ScheduleOptions } from '../../core/schedule';
import { type BulkOperation, countChosen, insertOperation, readChosen } from '../../store/bulk/operations';
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { nowOf } from '../update/change';
import { endOfPause } from '../update/pause';
import type { BulkChange, BulkTags } from './change-one';
import { type BulkFilter, choose } from './choose';
import { CannotUndoError, OtherTotalError } from './errors';
import { getOperation } from './status';

/** What a change of many would be about. */
export interface BulkPlan {
  /** How many match. */
  total: number;
  /** Of how many nothing would be changed, since they are paused already, or are not. */
  unchanged: number;
  /** The first 100 of them by ID. */
  schedules: { scheduleId: string; paused: boolean; nextFireAt: Date | null }[];
}

/** A change of many that is asked for. */
export interface AskedBulk {
  kind: BulkKind;
  filter: BulkFilter;
  change: BulkChange;
  expectedTotal?: number | undefined;
  perSecond?: number | undefined;
  /** The token by which it is asked for; null for none. */
  token: string | null;
}

const SHOWN = 100;
/** A schedule that is triggered starts a workflow: they are not to come all at once. */
export const TRIGGERED_PER_SECOND = 20;

/** Count and show what a change would be about. @throws {InvalidOptionError, InvalidQueryError} for a filter that cannot be */
export async function planBulk(context: ClientContext, kind: BulkKind, filter: BulkFilter): Promise<BulkPlan> {
  const choice = await choose(context, filter);
  const { total, paused } = await countChosen(context.store, choice);
  const unchanged = kind === 'pause' ? paused : kind === 'unpause' ? total - paused : 0;
  return { total, unchanged, schedules: await readChosen(context.store, choice, SHOWN) };
}

/**
 * Write down what is to be carried out: the schedules that match now.
 *
 * @throws {OtherTotalError} where another number matches than was expected
 * @throws {InvalidOptionError, InvalidQueryError} for a filter that cannot be
 */
export async function askBulk(context: ClientContext, asked: AskedBulk): Promise<BulkOperation> {
  const { kind, filter, change, expectedTotal, perSecond, token } = asked;
  const choice = await choose(context, filter);
  return transact(context.store, async (transaction) => {
    const operation = {
      ...{
        operationId: randomUUID(),
        kind,
        undoes: null,
        tenant: context.tenant ?? null,
        actor: context.identity,
        token,
      },
      ...{ filter: { ...filter }, change: { ...change }, createdAt: nowOf(context) },
      perSecond: perSecond ?? (kind === 'trigger' ? TRIGGERED_PER_SECOND : null),
    };
    const made = (await insertOperation(transaction, operation, choice))!;
    // Counted again: it must be those that are changed.
    if (expectedTotal !== undefined && made.total !== expectedTotal)
      throw new OtherTotalError(expectedTotal, made.total);
    return made;
  });
}

/** Write down that an operation is to be taken back. @throws {OperationNotFoundError} @throws {CannotUndoError} */
export async function askUndo(
  context: ClientContext,
  operationId: string,
  token: string | null,
): Promise<BulkOperation> {
  const { kind, undoes, endedAt, undoneBy, filter, tenant } = await getOperation(context, operationId);
  const cannot = (why: string) => new CannotUndoError(operationId, why);
  if (kind === 'trigger') throw cannot('what was fired stays fired');
  if (undoes !== null) throw cannot('it takes another one back itself: ask for that one again');
  if (endedAt === null) throw cannot('it is under way: cancel it first');
  if (undoneBy !== null) throw cannot(`operation ${undoneBy} takes it back`);
  const undo = {
    ...{ operationId: randomUUID(), kind, undoes: operationId, tenant, actor: context.identity, token },
    ...{ filter, change: {}, perSecond: null, createdAt: nowOf(context) },
  };
  const made = await transact(context.store, (transaction) =>
    insertOperation(transaction, undo, { undoes: operationId }),
  );
  if (!made) throw cannot('another operation takes it back');
  return made;
}

/** What can be of no schedule is refused before any is changed. @throws {InvalidOptionError} */
export function checkEnd(now: Date, until: Date | string | number | undefined): void {
  endOfPause({ now, definition: { spec: {} } as never }, until);
}

/** A schedule with the tags, by which they are checked. @throws {InvalidOptionError} where none is said */
export function withTags({ owner, runbook, searchAttributes }: BulkTags): ScheduleOptions {
  if ([owner, runbook, searchAttributes].every((part) => part === undefined)) {
    throw new InvalidOptionError('owner', 'is missing: say owner, runbook or searchAttributes');
  }
  const set = Object.entries(searchAttributes ?? {}).filter(([, values]) => values !== null);
  return {
    scheduleId: 'tagged',
    spec: {},
    action: { type: 'startWorkflow', workflowType: 'any', taskQueue: 'any' },
    ...(owner ? { owner } : {}),
    ...(runbook ? { runbook } : {}),
    searchAttributes: Object.fromEntries(set) as never,
  };
}
