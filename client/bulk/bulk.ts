import { BULK_OPERATION_STATES, type BulkKind } from '../../core/bulk';
import { checkOptions } from '../../core/options';
import { cancelOperation, readOperations } from '../../store/bulk/operations';
import type { ClientContext } from '../context';
import { inTenant } from '../list/filters';
import { checkSchedule } from '../register';
import { nowOf } from '../update/change';
import { askBulk, askUndo, type BulkPlan, checkEnd, planBulk, withTags } from './ask';
import {
  type BulkOptions,
  type BulkPauseOptions,
  type BulkTagOptions,
  type BulkTriggerOptions,
  type BulkUnpauseOptions,
  bulkKind,
  type FollowOptions,
  followOptions,
  type ListBulkOptions,
  listBulkOptions,
  pauseAllOptions,
  tagAllOptions,
  triggerAllOptions,
  unpauseAllOptions,
} from './bulk-options';
import { type BulkChange, withParsedDates } from './change-one';
import type { BulkFilter } from './choose';
import { by, follow } from './follow';
import { type BulkStatus, type BulkSummary, readStatus, withState } from './status';

const LISTED = 50;

/**
 * Changes of many schedules at once. The matching schedules are recorded first. Then this process, or a server of the
 * HTTP API, changes each schedule in a transaction of its own and records the result. If the process is interrupted,
 * such a server or a call of {@link Bulk.follow} can continue.
 *
 * @see `docs/schedules.md`
 */
export class Bulk {
  constructor(private readonly context: ClientContext) {}

  /**
   * How many schedules a bulk change would affect, and the first 100 of them. Nothing is changed.
   *
   * @param filter as for {@link EscapementClient.list}, with `scheduleIds`; `{ all: true }` for all schedules
   * @throws {InvalidOptionError | InvalidQueryError} for a filter that is not allowed, or that is empty
   */
  async plan(kind: BulkKind, filter: BulkFilter): Promise<BulkPlan> {
    checkOptions(bulkKind, { kind });
    return planBulk(this.context, kind, filter);
  }

  /**
   * Pause every schedule that matches at the time of the call. Schedules that are already paused stay as they are.
   *
   * @throws {OtherTotalError} if the number of matching schedules is not `expectedTotal`; nothing was changed
   * @throws {InvalidOptionError | InvalidQueryError} for an option or a filter that is not allowed; nothing was changed
   */
  async pause(filter: BulkFilter, options: BulkPauseOptions = {}): Promise<BulkStatus> {
    checkOptions(pauseAllOptions, options);
    checkEnd(nowOf(this.context), options.until);
    const { note, until } = options;
    return this.#run('pause', filter, options, { note, until: until instanceof Date ? until.toISOString() : until });
  }

  /**
   * Unpause every schedule that matches at the time of the call. Schedules that are not paused stay as they are.
   * @throws as {@link pause} does
   */
  async unpause(filter: BulkFilter, options: BulkUnpauseOptions = {}): Promise<BulkStatus> {
    checkOptions(unpauseAllOptions, options);
    return this.#run('unpause', filter, options, { note: options.note });
  }

  /**
   * Fire every schedule that matches at the time of the call once. Schedules that refuse, such as frozen ones, are
   * counted as failed. @throws as {@link pause} does
   */
  async trigger(filter: BulkFilter, options: BulkTriggerOptions = {}): Promise<BulkStatus> {
    checkOptions(triggerAllOptions, options);
    const { overlap, duringFreeze } = options;
    return this.#run('trigger', filter, options, { overlap, duringFreeze });
  }

  /**
   * Set the given labels of every schedule that matches at the time of the call: owner, run-book, search attributes.
   * @throws as {@link pause} does, and {InvalidScheduleError} for a label that is not allowed
   */
  async tag(filter: BulkFilter, options: BulkTagOptions): Promise<BulkStatus> {
    checkOptions(tagAllOptions, options);
    const { owner, runbook, searchAttributes } = options;
    const tags = { owner, runbook, searchAttributes };
    checkSchedule(this.context, withTags(tags));
    return this.#run('tag', filter, options, withParsedDates(tags));
  }

  /**
   * Undo what an operation changed. The undo of a tag skips schedules whose owner, run-book or search attributes
   * somebody has changed since. The undo of a pause or unpause skips those whose definition or state somebody has
   * changed since. A pause whose end has passed is not restored. The undo is an operation of its own.
   *
   * @throws {InvalidOptionError} for an option that is not allowed
   * @throws {OperationNotFoundError} if there is no operation with this ID
   * @throws {CannotUndoError} if the operation fired schedules, is an undo, still runs, or has an undo that nobody
   *   cancelled
   */
  async undo(operationId: string, options: FollowOptions = {}): Promise<BulkStatus> {
    checkOptions(followOptions, options);
    await this.context.ready();
    const undo = await askUndo(this.context, operationId, null);
    return follow(this.context, undo.operationId, options);
  }

  /** Bulk changes of the last 90 days, newest first. @throws {InvalidOptionError} for an option that is not allowed */
  async list(options: ListBulkOptions = {}): Promise<BulkSummary[]> {
    checkOptions(listBulkOptions, options);
    await this.context.ready();
    const { state, limit = LISTED } = options;
    const { tenant } = inTenant(this.context, options);
    const states = state === undefined ? BULK_OPERATION_STATES : [state];
    return (await readOperations(this.context.store, { tenant, states, limit })).map(withState);
  }

  /**
   * One bulk change, with its progress and its first failures. @throws {OperationNotFoundError} if there is no
   * operation with this ID
   */
  async get(operationId: string): Promise<BulkStatus> {
    await this.context.ready();
    return readStatus(this.context, operationId);
  }

  /**
   * Continue an operation that was interrupted, or watch it until it ends.
   *
   * @throws {InvalidOptionError} for an option that is not allowed
   * @throws {OperationNotFoundError} if there is no operation with this ID
   */
  async follow(operationId: string, options: FollowOptions = {}): Promise<BulkStatus> {
    checkOptions(followOptions, options);
    await this.context.ready();
    return follow(this.context, operationId, options);
  }

  /**
   * Cancel an operation: schedules that still wait for their change keep their state. If the operation has ended,
   * nothing happens.
   * @throws {OperationNotFoundError} if there is no operation with this ID
   */
  async cancel(operationId: string): Promise<BulkStatus> {
    await this.context.ready();
    await readStatus(this.context, operationId);
    await cancelOperation(this.context.store, operationId, by(this.context));
    return readStatus(this.context, operationId);
  }

  async #run(kind: BulkKind, filter: BulkFilter, options: BulkOptions, change: BulkChange): Promise<BulkStatus> {
    const { expectedTotal, perSecond } = options;
    const asked = { kind, filter, change, expectedTotal, perSecond, token: null };
    const { operationId } = await askBulk(this.context, asked);
    return follow(this.context, operationId, options);
  }
}
