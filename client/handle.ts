import type { Workflow } from '@temporalio/common';
import { checkOptions } from '../core/options';
import type { OverlapPolicy } from '../core/schedule';
import type { Firing } from '../store/reads/read-firings';
import { type FiringStats, readStats } from '../store/reads/stats';
import { deleteSchedule, pauseSchedule, unpauseSchedule } from '../store/schedules/schedule-state';
import { backfillLive } from './backfill/backfill';
import type { BackfillOptions, BackfillResult } from './backfill/backfill-options';
import { excludeTime, includeTime } from './backfill/exclude';
import { type ManualFiringOptions, triggerLive } from './backfill/manual';
import { runAgain } from './backfill/run-again';
import type { RunAgainOptions } from './backfill/run-again-options';
import { type TransactionOptions, within } from './backfill/within';
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
import { changeLive, readLive } from './update/change';
import { type DeleteOptions, describeLocked } from './update/delete-options';
import { type HandedOver, namingHandedOver } from './update/handed-over';
import { answerPause, endOfPause, type PauseOptions } from './update/pause';
import { type ScheduleUpdater, updateLive } from './update/update';
import { type ScheduleVersion, type VersionsOptions, versionsOf } from './update/versions';

/**
 * One schedule by its ID, shaped like Temporal's `ScheduleHandle`.
 *
 * @see `docs/schedules.md`; https://typescript.temporal.io/api/classes/client.ScheduleClient#gethandle
 */
export class ScheduleHandle {
  constructor(
    private readonly context: ClientContext,
    /** Name of the schedule. */
    readonly scheduleId: string,
  ) {
    checkOptions(handleOptions, { scheduleId });
  }

  /** @throws {ScheduleNotFoundError} */
  async describe(): Promise<ScheduleDescription> {
    return describeLive(this.context, await readLive(this.context, this.scheduleId));
  }

  /**
   * The next `count` nominal times, without those that are excluded.
   *
   * @throws {ScheduleNotFoundError}
   */
  async nextTimes(count = 5): Promise<Date[]> {
    checkOptions(nextTimesOptions, { count });
    return nextTimesOf(this.context, await readLive(this.context, this.scheduleId), count);
  }

  /**
   * Replace the definition and the state by what `updater` makes of the present ones; what its result leaves out goes
   * to its default. From then on occurrences are those of the new spec. What was due before, and no trigger has come to
   * yet, is answered by the old definition, its most recent 1,000 occurrences at most; what was claimed stays as it was.
   *
   * @param updater gets what {@link describe} returns, which is valid as its result; called again, up to 5 times, when
   *   others change the schedule meanwhile
   * @returns what was handed to Temporal ahead, and fires with the definition it was claimed with
   * @throws {InvalidScheduleError} with the path of the bad field; nothing was written
   * @throws {ScheduleConflictError} when others changed the schedule during each of 5 attempts
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   * @throws {ScheduleNotFoundError}
   */
  async update<W extends Workflow = Workflow>(
    updater: ScheduleUpdater<W>,
    options: TransactionOptions = {},
  ): Promise<HandedOver> {
    checkOptions(updateOptions, { updater });
    return this.#within(options, (context) => updateLive(context, this.scheduleId, updater as ScheduleUpdater));
  }

  /** The definitions that this schedule has had, newest first; those of a deleted one too. */
  versions(options: VersionsOptions = {}): AsyncIterable<ScheduleVersion> {
    checkOptions(versionsOptions, options);
    return versionsOf(this.context, this.scheduleId, options);
  }

  /**
   * Claim nothing new until {@link unpause}. What was claimed before goes on, unless its trigger died and nobody had
   * called its start; what falls in the pause becomes a gap and is never caught up.
   *
   * With `until` the pause ends by itself at that instant, by the database's clock: what is to start then fires, and so does what
   * comes later. To pause a paused schedule replaces its end: without `until` it has none any more.
   *
   * @param options why, as Temporal's; or `note` and `until`
   * @throws {InvalidOptionError} for an `until` that is no time to come within ten years
   * @returns what was handed to Temporal ahead, and fires all the same
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
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
   * Go on from now. A gap answers for the occurrences that fell in the pause.
   *
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
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
   * Fire once now, besides the spec and on a paused schedule too.
   *
   * @param options overlap policy of this firing, or options with it and `args`, which take the place of the schedule's
   *   this once. @default 'ALLOW_ALL', as Temporal's
   * @returns the firing, `buffered` until a trigger claims it within a second
   * @throws {InvalidOptionError} for an unknown overlap policy
   * @throws {InvalidScheduleError} for arguments that cannot be encoded
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   * @throws {ScheduleNotFoundError}
   */
  async trigger(options?: OverlapPolicy | (ManualFiringOptions & TransactionOptions)): Promise<Firing> {
    const given = typeof options === 'object' && options !== null ? options : { overlap: options };
    checkOptions(triggerOptions, given);
    return within(this.context, given.transaction, (context) => triggerLive(context, this.scheduleId, given));
  }

  /**
   * Fire the occurrences of the present spec in one or more stretches of the past that have no firing; a gap over them is
   * beaten. Both ends are inclusive. A call that was interrupted is finished by calling it again. What no trigger has
   * answered yet is left to one, unless the schedule sleeps.
   *
   * @throws {InvalidScheduleError} before anything is written: `end` before `start`, `start` in the future, an unknown policy,
   *   more than 1,000,000 occurrences
   * @throws {RetiredMonthError} where the record of what fired is gone
   * @throws {ScheduleConflictError} when the schedule was updated meanwhile
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   * @throws {ScheduleNotFoundError}
   */
  async backfill(ranges: BackfillOptions | BackfillOptions[]): Promise<BackfillResult> {
    return backfillLive(this.context, this.scheduleId, ranges);
  }

  /**
   * Run a past occurrence again, for its own nominal time and with the definition that the schedule has by now. It may
   * be one that was skipped, given up, failed or was cancelled, or that had no firing since it lies in a gap. One that
   * may have done its work needs a confirmation. The new run's workflow gets an ID of its own. The occurrence's open dead
   * letter is resolved when that run completes.
   *
   * @param time as {@link exclude} takes it
   * @returns the firing, `buffered` until a trigger claims it within a second; `again` says who asked and what it was before
   * @throws {RunAgainError} for a time that is no past occurrence, one that is under way, or one that needs `confirm: true`
   * @throws {InvalidOptionError} for an unknown option or overlap policy; nothing was written
   * @throws {RetiredMonthError} where the record of what fired is gone
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   * @throws {ScheduleNotFoundError}
   */
  async runAgain(time: Date | string, options: RunAgainOptions = {}): Promise<Firing> {
    checkOptions(timeOption, { time });
    checkOptions(runAgainOptions, options);
    return runAgain(this.context, this.scheduleId, time, options);
  }

  /**
   * Have a coming occurrence not fire. Does nothing where it is excluded already.
   *
   * @param time an instant, or text: ISO 8601, or without an offset local time in the schedule's zone
   * @throws {ExclusionError} for a time that is no occurrence, or not ahead any more
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   * @throws {ScheduleNotFoundError}
   */
  async exclude(time: Date | string, options: TransactionOptions = {}): Promise<void> {
    checkOptions(timeOption, { time });
    await this.#within(options, (context) => excludeTime(context, this.scheduleId, time));
  }

  /**
   * Take an {@link exclude} back while its time is still ahead.
   *
   * @param time as {@link exclude} takes it
   * @throws {ExclusionError} for a time that is not excluded, or not ahead any more
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   * @throws {ScheduleNotFoundError}
   */
  async include(time: Date | string, options: TransactionOptions = {}): Promise<void> {
    checkOptions(timeOption, { time });
    await this.#within(options, (context) => includeTime(context, this.scheduleId, time));
  }

  /**
   * What became of an instant, in a tagged form and in a sentence; of a deleted schedule too.
   *
   * @param time as {@link exclude} takes it
   * @throws {InvalidScheduleError} for a text that is no time
   * @throws {ScheduleNotFoundError} when there never was such a schedule
   */
  async explain(time: Date | string): Promise<Explanation> {
    checkOptions(timeOption, { time });
    return explainTime(this.context, this.scheduleId, time);
  }

  /**
   * Delete the schedule. Its history stays, workflows that run go on, and the ID may be used again.
   *
   * @returns what was handed to Temporal ahead, and fires all the same
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   * @throws {ScheduleNotFoundError}
   * @throws what `expected` throws; nothing was deleted
   */
  async delete(options: DeleteOptions = {}): Promise<HandedOver> {
    checkOptions(deleteOptions, options);
    const { expected, ...others } = options;
    return this.#change(others, async (transaction, locked) => {
      await expected?.(await describeLocked(this.context, transaction, this.scheduleId));
      return namingHandedOver(transaction, locked, deleteSchedule(transaction, locked));
    });
  }

  /** Counts over this schedule's firings and gaps; those of a deleted one too. */
  async stats(): Promise<FiringStats> {
    await this.context.ready();
    return readStats(this.context.store, { scheduleId: this.scheduleId, tenant: this.context.tenant });
  }

  /**
   * Firings of this schedule, newest first unless `order` says otherwise, read page by page; those of a deleted one too.
   *
   * @throws {InvalidOptionError} for a filter that cannot be
   */
  firings(options: Omit<ListFiringsOptions, 'scheduleId'> = {}): AsyncIterable<Firing> {
    checkOptions(firingFilterOfOne, options);
    return listFirings(this.context, { ...options, scheduleId: this.scheduleId });
  }

  /**
   * One page of {@link firings}: the first, or the one behind the `nextCursor` of another.
   *
   * @throws {InvalidOptionError} for a filter that cannot be, or a cursor of another order
   */
  async firingsPage(
    options: Omit<ListFiringsOptions, 'scheduleId'> & { cursor?: string | undefined } = {},
  ): Promise<FiringsPage> {
    checkOptions(firingFilterOfOne, options);
    return listFiringsPage(this.context, { ...options, scheduleId: this.scheduleId });
  }

  /** Run a change under the schedule's lock. */
  #change<Result>(options: TransactionOptions, change: Parameters<typeof changeLive<Result>>[2]): Promise<Result> {
    return this.#within(options, (context) => changeLive(context, this.scheduleId, change));
  }

  /** Work in the caller's transaction, where there is one. @throws {InvalidOptionError} for another option */
  async #within<Result>(
    options: TransactionOptions,
    work: (context: ClientContext) => Promise<Result>,
  ): Promise<Result> {
    checkOptions(transactionOptions, options);
    return within(this.context, options.transaction, work);
  }
}
