import type { Workflow } from '@temporalio/common';
import { checkOptions } from '../core/options';
import type { OverlapPolicy } from '../core/schedule/policies';
import type { Firing } from '../store/reads/read-firings';
import { type FiringStats, readStats } from '../store/reads/stats';
import { pauseSchedule, unpauseSchedule } from '../store/schedules/schedule-state';
import { backfillLive } from './backfill/backfill';
import type { BackfillOptions, BackfillResult } from './backfill/backfill-options';
import { excludeTime, includeTime } from './backfill/exclude';
import { type ManualFiringOptions, triggerLive } from './backfill/manual';
import { runAgain } from './backfill/run-again';
import type { RunAgainOptions } from './backfill/run-again-options';
import {
  deleteOptions,
  handleOptions,
  nextTimesOptions,
  noteOption,
  pauseOptions,
  runAgainOptions,
  timeOption,
  transactionOptions,
  triggerOptions,
  updateOptions,
  versionsOptions,
} from './call-options';
import type { ClientContext } from './context';
import { describeLive, nextTimesOf } from './describe/describe-live';
import type { ScheduleDescription } from './describe/schedule-description';
import { explainTime } from './explain/explain';
import type { Explanation } from './explain/explanation';
import { firingFilterOfOne } from './list/filters';
import { type FiringsPage, listFirings, listFiringsPage } from './list/firings';
import type { ListFiringsOptions } from './list/list-options';
import { type TransactionOptions, within } from './transaction';
import { changeLive, readLive } from './update/change';
import { deleteLive } from './update/delete';
import type { DeleteOptions } from './update/delete-options';
import { type HandedOver, namingHandedOver } from './update/handed-over';
import { answerPause, endOfPause, type PauseOptions } from './update/pause';
import { type ScheduleUpdater, updateLive } from './update/update';
import { type ScheduleVersion, type VersionsOptions, versionsOf } from './update/versions';

/**
 * A handle for one schedule, shaped like Temporal's `ScheduleHandle`.
 *
 * @see `docs/schedules.md`; https://typescript.temporal.io/api/classes/client.ScheduleClient#gethandle
 */
export class ScheduleHandle {
  constructor(
    private readonly context: ClientContext,
    /** ID of the schedule. */
    readonly scheduleId: string,
  ) {
    checkOptions(handleOptions, { scheduleId });
  }

  /** @throws {ScheduleNotFoundError}; and the converter's error if this client cannot decode a field */
  async describe(): Promise<ScheduleDescription> {
    return describeLive(this.context, await readLive(this.context, this.scheduleId));
  }

  /**
   * The next `count` nominal times of the spec, at most 10,000, without excluded ones. @throws {InvalidOptionError |
   * ScheduleNotFoundError}, and {InvalidScheduleError} if the spec cannot be evaluated; the list is empty if the stored
   * spec is no object
   */
  async nextTimes(count = 5): Promise<Date[]> {
    checkOptions(nextTimesOptions, { count });
    return nextTimesOf(this.context, await readLive(this.context, this.scheduleId), count);
  }

  /**
   * Replace the definition and the state with the result of `updater`. Most fields that the result leaves out get their
   * defaults; labels such as `owner` stay. From now on, occurrences follow the new spec. Occurrences that were due
   * before, and that no trigger has answered yet, follow the old definition: the most recent 1,000 at most. Firings
   * that were already claimed stay as they are, unless the update pauses the schedule.
   *
   * @param updater receives the description, with arguments in encoded form if this client cannot decode them; called
   *   up to 5 times, while others change the schedule
   * @returns firings that were claimed ahead of their time, and fire with the definition with which they were claimed
   * @throws {InvalidScheduleError} with the path of the bad field; nothing was written
   * @throws {CannotDecodeError} when the update would lose a field that this client cannot decode
   * @throws {ExternalIdTakenError} when another live schedule of the tenant has the new `externalId`
   * @throws {ScheduleConflictError} when others changed the schedule or its calendars during each of 5 attempts
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   */
  async update<W extends Workflow = Workflow>(
    updater: ScheduleUpdater<W>,
    options: TransactionOptions = {},
  ): Promise<HandedOver> {
    checkOptions(updateOptions, { updater });
    return this.#within(options, (context) => updateLive(context, this.scheduleId, updater as ScheduleUpdater));
  }

  /** The definitions, newest first; also for a deleted schedule. @throws {InvalidOptionError} for a bad option */
  versions(options: VersionsOptions = {}): AsyncIterable<ScheduleVersion> {
    checkOptions(versionsOptions, options);
    return versionsOf(this.context, this.scheduleId, options);
  }

  /**
   * Claim no occurrences until {@link unpause}. The occurrences of the pause become a gap, and triggers never catch
   * them up. Claimed firings whose start no trigger has announced are mostly skipped, unless a person asked for them. A
   * firing whose start was announced still starts, unless that start is lost.
   *
   * With `until`, the pause ends by itself at that instant, by the database's clock. Occurrences that start then or
   * later fire. Pausing a paused schedule replaces the end of the pause; without `until` the pause then has no end.
   *
   * @param options the note, as in Temporal; or an object with `note` and `until`
   * @throws {InvalidOptionError} if `until` is not a future time within ten years
   * @returns firings that were claimed ahead of their time, and still fire
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   */
  async pause(
    options: string | (PauseOptions & TransactionOptions) = {},
    more: TransactionOptions = {},
  ): Promise<HandedOver> {
    const { transaction = more.transaction, ...given } =
      typeof options === 'object' && options !== null ? options : { note: options };
    checkOptions(pauseOptions, given);
    const { note = 'Paused via Escapement' } = given;
    return this.#change({ ...more, transaction }, (transaction, locked) => {
      const pause = { note, actor: this.context.identity, until: endOfPause(locked, given.until) };
      return namingHandedOver(transaction, locked, pauseSchedule(transaction, locked, pause));
    });
  }

  /**
   * End the pause: occurrences from now on fire. A gap records the occurrences during the pause.
   *
   * @throws {InvalidScheduleError} if this client does not know the spec's time zone or its newer form; the pause stays
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   */
  async unpause(note = 'Unpaused via Escapement', options: TransactionOptions = {}): Promise<void> {
    checkOptions(noteOption, { note });
    await this.#change(options, async (transaction, locked) => {
      if (!locked.paused) return;
      await unpauseSchedule(transaction, locked, { note, actor: this.context.identity }, answerPause(locked));
    });
  }

  /**
   * Fire once now, in addition to the spec. This also works for a paused schedule.
   *
   * @param options the overlap policy of this firing, or an object. @default 'ALLOW_ALL', as in Temporal
   * @returns the firing, `buffered` until a trigger claims it, usually within a second
   * @throws {InvalidOptionError} for an option or an overlap policy that is not allowed
   * @throws {InvalidScheduleError} for arguments that cannot be encoded, or for a namespace or task queue that the
   *   tenant may not use
   * @throws {ScheduleFrozenError} while a freeze holds the schedule, unless `duringFreeze` is set
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   */
  async trigger(options?: OverlapPolicy | (ManualFiringOptions & TransactionOptions)): Promise<Firing> {
    const given = typeof options === 'object' && options !== null ? options : { overlap: options };
    checkOptions(triggerOptions, given);
    return within(this.context, given.transaction, (context) => triggerLive(context, this.scheduleId, given));
  }

  /**
   * In one or more ranges, fire the past occurrences of the current spec that have no firing. Both ends of a range are
   * inclusive. An occurrence in a gap fires too, unless it was left to Temporal's own schedule and `refire` is not set.
   * If a call was interrupted, repeat the call to finish. Occurrences that a trigger has yet to decide are left out. If
   * the schedule is paused or has no actions left, no trigger decides them, and they fire too.
   *
   * @throws {InvalidScheduleError} for ranges that are not allowed, or with more than 1,000,000 occurrences
   * @throws {InvalidScheduleError} for a spec that cannot be evaluated, or a namespace or task queue that is refused
   * @throws {RetiredMonthError} if a range without `refire` has occurrences in retired months
   * @throws {ScheduleFrozenError} while a freeze holds the schedule, unless `duringFreeze` is set
   * @throws {ScheduleConflictError} when somebody updated the schedule while the call ran
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   */
  async backfill(ranges: BackfillOptions | BackfillOptions[]): Promise<BackfillResult> {
    return backfillLive(this.context, this.scheduleId, ranges);
  }

  /**
   * Run a past occurrence or manual firing again, for the same nominal time. The schedule's current definition applies,
   * unless a manual firing had its own arguments. The occurrence may have been skipped, abandoned, failed or cancelled,
   * or may lie in a gap. If it may already have done its work, `confirm` is required. If it had a firing, the new
   * workflow gets another workflow ID. When this workflow completes, the occurrence's open dead letters are resolved.
   *
   * @param time as for {@link exclude}
   * @returns the firing. Its field `again` has the requester and the former result.
   * @throws {RunAgainError} if the time is no past occurrence, lies in a retired month, or may not run again now
   * @throws {InvalidOptionError} for an unknown option or overlap policy, or a `time` of another type
   * @throws {InvalidScheduleError} for a text as `time` that is no time, or a namespace or task queue that is refused
   * @throws {RetiredMonthError} if the time has no firing, and its month is retired during the call
   * @throws {ScheduleFrozenError} while a freeze holds the schedule, unless `duringFreeze` is set
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   */
  async runAgain(time: Date | string, options: RunAgainOptions = {}): Promise<Firing> {
    checkOptions(timeOption, { time });
    checkOptions(runAgainOptions, options);
    return runAgain(this.context, this.scheduleId, time, options);
  }

  /**
   * Exclude a future occurrence, so that it does not fire. A second call for the same occurrence does nothing.
   *
   * @param time an instant, or a text in ISO 8601. A text without an offset is local time in the schedule's zone
   * @throws {InvalidOptionError | InvalidScheduleError} for anything else as `time`, or a spec that cannot be evaluated
   * @throws {ExclusionError} if the time is not an occurrence, already has a firing, is due, or was planned ahead
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   */
  async exclude(time: Date | string, options: TransactionOptions = {}): Promise<void> {
    checkOptions(timeOption, { time });
    await this.#within(options, (context) => excludeTime(context, this.scheduleId, time));
  }

  /**
   * Undo an {@link exclude} while its time is neither due nor planned ahead.
   *
   * @param time as for {@link exclude}
   * @throws {InvalidOptionError | InvalidScheduleError} for anything else as `time`
   * @throws {ExclusionError} if the time is not excluded, is due, or was planned ahead
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   */
  async include(time: Date | string, options: TransactionOptions = {}): Promise<void> {
    checkOptions(timeOption, { time });
    await this.#within(options, (context) => includeTime(context, this.scheduleId, time));
  }

  /**
   * Explains what happened at an instant, as a tagged object and as a sentence; also for a deleted schedule.
   *
   * @param time as for {@link exclude}
   * @throws {InvalidOptionError | InvalidScheduleError} for anything else as `time`
   * @throws {ScheduleNotFoundError} when the client can read no schedule of this ID, live or deleted
   */
  async explain(time: Date | string): Promise<Explanation> {
    checkOptions(timeOption, { time });
    return explainTime(this.context, this.scheduleId, time);
  }

  /**
   * Delete the schedule. Its history stays, running workflows continue, and the same tenant may use the ID again.
   * Claimed firings whose start no trigger has announced are mostly skipped.
   *
   * @returns firings that were claimed ahead of their time, and still fire
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {ScheduleNotFoundError}
   * @throws the error that `expected` throws; nothing was deleted
   * @throws {ScheduleConflictError} when others changed the schedule during each of 5 calls of `expected`
   */
  async delete(options: DeleteOptions = {}): Promise<HandedOver> {
    checkOptions(deleteOptions, options);
    const { expected, ...others } = options;
    return this.#within(others, (context) => deleteLive(context, this.scheduleId, expected));
  }

  /** Counts of this schedule's firings and gaps; also for a deleted schedule. */
  async stats(): Promise<FiringStats> {
    await this.context.ready();
    return readStats(this.context.store, { scheduleId: this.scheduleId, tenant: this.context.tenant });
  }

  /**
   * Firings of this schedule, live or deleted, newest first unless `order` says otherwise, read page by page.
   *
   * @throws {InvalidOptionError} for a filter that is not allowed
   */
  firings(options: Omit<ListFiringsOptions, 'scheduleId'> = {}): AsyncIterable<Firing> {
    checkOptions(firingFilterOfOne, options);
    return listFirings(this.context, { ...options, scheduleId: this.scheduleId });
  }

  /**
   * One page of {@link firings}: the first page, or the page after the one whose `nextCursor` is given.
   *
   * @throws {InvalidOptionError} for a filter that is not allowed, or a cursor that is invalid or of another order
   */
  async firingsPage(
    options: Omit<ListFiringsOptions, 'scheduleId'> & { cursor?: string | undefined } = {},
  ): Promise<FiringsPage> {
    checkOptions(firingFilterOfOne, options);
    return listFiringsPage(this.context, { ...options, scheduleId: this.scheduleId });
  }

  #change<Result>(options: TransactionOptions, change: Parameters<typeof changeLive<Result>>[2]): Promise<Result> {
    return this.#within(options, (context) => changeLive(context, this.scheduleId, change));
  }

  /** Run the work in the caller's transaction, if one is given. @throws {InvalidOptionError} for an unknown option */
  async #within<Result>(
    options: TransactionOptions,
    work: (context: ClientContext) => Promise<Result>,
  ): Promise<Result> {
    checkOptions(transactionOptions, options);
    return within(this.context, options.transaction, work);
  }
}
