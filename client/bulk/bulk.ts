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
  bulkChoice,
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
import type { BulkChange } from './change-one';
import type { BulkFilter } from './choose';
import { by, follow } from './follow';
import { type BulkStatus, type BulkSummary, readStatus, withState } from './status';

/** To be read on one screen. */
const LISTED = 50;

/**
 * Changes of many schedules at once: counted first, carried out by this process, and written down schedule by schedule. One that
 * was interrupted is gone on with by a server of the HTTP API, where one runs, or by {@link Bulk.follow}.
 *
 * @see `docs/schedules.md`
 */
export class Bulk {
  constructor(private readonly context: ClientContext) {}

  /**
   * How many schedules a change would be about, and which first. Nothing is changed.
   *
   * @param filter as for {@link EscapementClient.list}, with `scheduleIds`; `{ all: true }` for all
   * @throws {InvalidOptionError | InvalidQueryError} for a filter that cannot be, or that names nothing
   */
  async plan(kind: BulkKind, filter: BulkFilter): Promise<BulkPlan> {
    checkOptions(bulkKind, { kind });
    checkOptions(bulkChoice, filter, 'filter');
    return planBulk(this.context, kind, filter);
  }

  /**
   * Pause every schedule that matches when it is called. Those that are paused already stay as they are.
   *
   * @throws {OtherTotalError} where another number matches than `expectedTotal`; nothing was changed
   * @throws {InvalidOptionError | InvalidQueryError} for an option or a filter that cannot be; nothing was changed
   */
  async pause(filter: BulkFilter, options: BulkPauseOptions = {}): Promise<BulkStatus> {
    checkOptions(pauseAllOptions, options);
    checkEnd(nowOf(this.context), options.until);
    const { note, until } = options;
    return this.#run('pause', filter, options, { note, until: until instanceof Date ? until.toISOString() : until });
  }

  /** Unpause every schedule that matches when it is called. Those that are not paused stay as they are. @throws as {@link pause} does */
  async unpause(filter: BulkFilter, options: BulkUnpauseOptions = {}): Promise<BulkStatus> {
    checkOptions(unpauseAllOptions, options);
    return this.#run('unpause', filter, options, { note: options.note });
  }

  /** Fire every schedule that matches when it is called, once. What refuses, such as a frozen one, is counted. @throws as {@link pause} does */
  async trigger(filter: BulkFilter, options: BulkTriggerOptions = {}): Promise<BulkStatus> {
    checkOptions(triggerAllOptions, options);
    const { overlap, duringFreeze } = options;
    return this.#run('trigger', filter, options, { overlap, duringFreeze });
  }

  /** Note owner, run-book and search attributes of every schedule that matches when it is called. @throws as {@link pause} does */
  async tag(filter: BulkFilter, options: BulkTagOptions): Promise<BulkStatus> {
    checkOptions(tagAllOptions, options);
    const { owner, runbook, searchAttributes } = options;
    const tags = { owner, runbook, searchAttributes };
    checkSchedule(this.context, withTags(tags));
    return this.#run('tag', filter, options, tags);
  }

  /**
   * Take back what an operation changed, where nobody has changed it since: an operation of its own.
   *
   * @throws {OperationNotFoundError} where there is none of this ID
   * @throws {CannotUndoError} for what was fired, is under way, or is taken back already
   */
  async undo(operationId: string, options: FollowOptions = {}): Promise<BulkStatus> {
    checkOptions(followOptions, options);
    await this.context.ready();
    const undo = await askUndo(this.context, operationId, null);
    return follow(this.context, undo.operationId, options);
  }

  /** Changes of many of the last 90 days, the last that was asked for first. @throws {InvalidOptionError} for another option */
  async list(options: ListBulkOptions = {}): Promise<BulkSummary[]> {
    checkOptions(listBulkOptions, options);
    await this.context.ready();
    const { state, limit = LISTED } = options;
    const { tenant } = inTenant(this.context, options);
    const states = state === undefined ? BULK_OPERATION_STATES : [state];
    return (await readOperations(this.context.store, { tenant, states, limit })).map(withState);
  }

  /** One change of many, how far it has come, and what failed. @throws {OperationNotFoundError} where there is none of this ID */
  async get(operationId: string): Promise<BulkStatus> {
    await this.context.ready();
    return readStatus(this.context, operationId);
  }

  /** Go on with an operation that was interrupted, or watch it until it is over. @throws {OperationNotFoundError} where there is none of this ID */
  async follow(operationId: string, options: FollowOptions = {}): Promise<BulkStatus> {
    checkOptions(followOptions, options);
    await this.context.ready();
    return follow(this.context, operationId, options);
  }

  /** Leave the rest of an operation undone. One that is over stays as it is. @throws {OperationNotFoundError} where there is none of this ID */
  async cancel(operationId: string): Promise<BulkStatus> {
    await this.context.ready();
    await readStatus(this.context, operationId);
    await cancelOperation(this.context.store, operationId, by(this.context));
    return readStatus(this.context, operationId);
  }

  async #run(kind: BulkKind, filter: BulkFilter, options: BulkOptions, change: BulkChange): Promise<BulkStatus> {
    checkOptions(bulkChoice, filter, 'filter');
    const { expectedTotal, perSecond } = options;
    const asked = { kind, filter, change, expectedTotal, perSecond, token: null };
    const { operationId } = await askBulk(this.context, asked);
    return follow(this.context, operationId, options);
  }
}
