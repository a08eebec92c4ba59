import { randomUUID } from 'node:crypto';
import type { BulkKind } from '../../core/bulk';
import { InvalidOptionError } from '../../core/errors';
import type { ScheduleOptions } from '../../core/schedule/options';
import { countChosen, readChosen } from '../../store/bulk/choice';
import { type BulkOperation, insertOperation } from '../../store/bulk/operations';
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { endOfPause } from '../update/pause';
import type { BulkChange, BulkTags } from './change-one';
import { type BulkFilter, choose } from './choose';
import { CannotUndoError, OtherTotalError } from './errors';
import { getOperation } from './status';

/** What a bulk change would affect. */
export interface BulkPlan {
  /** How many schedules match. */
  total: number;
  /**
   * For a pause or an unpause: how many of these schedules are already paused or unpaused, and would stay as they are.
   * Until a trigger records that a pause is over, its schedule counts as paused here.
   */
  unchanged: number;
  /** The first 100 matching schedules by ID. */
  schedules: { scheduleId: string; paused: boolean; nextFireAt: Date | null }[];
}

export interface AskedBulk {
  kind: BulkKind;
  filter: BulkFilter;
  change: BulkChange;
  expectedTotal?: number | undefined;
  perSecond?: number | undefined;
  /** ID of the API token that made the request; null if there was none. */
  token: string | null;
}

const SHOWN = 100;
/** The default rate of a bulk trigger in schedules per second, so that not all workflows start at once. */
export const TRIGGERED_PER_SECOND = 20;

/**
 * Count and list the schedules that a bulk change would affect. @throws {InvalidOptionError, InvalidQueryError} for a
 * filter that is not allowed
 */
export async function planBulk(context: ClientContext, kind: BulkKind, filter: BulkFilter): Promise<BulkPlan> {
  const choice = await choose(context, filter);
  const { total, paused } = await countChosen(context.store, choice);
  const unchanged = kind === 'pause' ? paused : kind === 'unpause' ? total - paused : 0;
  return { total, unchanged, schedules: await readChosen(context.store, choice, SHOWN) };
}

/**
 * Record an operation on the schedules that match now. {@link follow} or a server of the HTTP API carries the operation
 * out.
 *
 * @throws {OtherTotalError} if the number of matching schedules is not the expected one
 * @throws {InvalidOptionError, InvalidQueryError} for a filter that is not allowed
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
      ...{ filter: { ...filter }, change: { ...change }, createdAt: context.now?.() },
      perSecond: perSecond ?? (kind === 'trigger' ? TRIGGERED_PER_SECOND : null),
    };
    const made = (await insertOperation(transaction, operation, choice))!;
    // The count of the recorded schedules is compared, since the operation changes no others.
    if (expectedTotal !== undefined && made.total !== expectedTotal)
      throw new OtherTotalError(expectedTotal, made.total);
    return made;
  });
}

/** @throws {OperationNotFoundError | CannotUndoError} */
export async function askUndo(
  context: ClientContext,
  operationId: string,
  token: string | null,
): Promise<BulkOperation> {
  const { kind, undoes, endedAt, undoneBy, filter, tenant } = await getOperation(context, operationId);
  const cannot = (why: string) => new CannotUndoError(operationId, why);
  if (kind === 'trigger') throw cannot('firings cannot be undone');
  if (undoes !== null) throw cannot('it is itself an undo: ask for the original operation again');
  if (endedAt === null) throw cannot('it is still running: cancel it first');
  if (undoneBy !== null) throw cannot(`operation ${undoneBy} undoes it`);
  const undo = {
    ...{ operationId: randomUUID(), kind, undoes: operationId, tenant, actor: context.identity, token },
    ...{ filter, change: {}, perSecond: null, createdAt: context.now?.() },
  };
  const made = await transact(context.store, (transaction) =>
    insertOperation(transaction, undo, { undoes: operationId }),
  );
  if (!made) throw cannot('another operation undoes it');
  return made;
}

/** The time zone in which a given local time comes last. */
const LAST_ZONE = 'Etc/GMT+12';

/**
 * Check the end of a pause before any schedule is changed. A local time may be over in the zones of some schedules;
 * those then refuse it. @throws {InvalidOptionError} if the value is no time or duration, is over in every zone, or is
 * more than ten years ahead
 */
export function checkEnd(now: Date, until: Date | string | number | undefined): void {
  endOfPause({ now, definition: { spec: { timezone: LAST_ZONE } } as never }, until);
}

/**
 * A made-up schedule with these labels, so that the checks of a schedule can check the labels. @throws
 * {InvalidOptionError} if no label is given
 */
export function withTags({ owner, runbook, searchAttributes }: BulkTags): ScheduleOptions {
  if ([owner, runbook, searchAttributes].every((part) => part === undefined)) {
    throw new InvalidOptionError('owner', 'is missing: give owner, runbook or searchAttributes');
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
