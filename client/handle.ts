import { gapOver } from '../core/decisions/catchup';
import { readOverlap } from '../core/definition';
import { workflowIdOf } from '../core/identity';
import { nextOccurrences } from '../core/occurrences';
import type { OverlapPolicy } from '../core/schedule';
import type { Store } from '../store/connection';
import { type LockedSchedule, lockSchedule } from '../store/lock';
import { bufferManualFiring, nextManualTime } from '../store/manual';
import { ensurePartitions } from '../store/partitions';
import { type Firing, type FiringFilter, readFiring, readFiringsPage } from '../store/read-firings';
import { readSchedule, type ScheduleRow } from '../store/read-schedules';
import { deleteSchedule, pauseSchedule, unpauseSchedule } from '../store/schedule-state';
import { transact } from '../store/transaction';
import { type ClientContext, compileStored } from './context';
import { describe, type ScheduleDescription } from './description';
import { ScheduleNotFoundError } from './errors';
import { paged } from './paged';

/** One schedule by its ID, shaped like Temporal's `ScheduleHandle`. */
export class ScheduleHandle {
  constructor(
    private readonly context: ClientContext,
    readonly scheduleId: string,
  ) {}

  /** @throws {ScheduleNotFoundError} */
  async describe(): Promise<ScheduleDescription> {
    const row = await this.#read();
    return describe(row, await this.context.codec.decode(row.args), this.#now());
  }

  /**
   * The next `count` nominal times.
   *
   * @throws {ScheduleNotFoundError}
   */
  async nextTimes(count = 5): Promise<Date[]> {
    const { spec } = await this.#read();
    return nextOccurrences(spec, { after: this.#now(), count, scheduleId: this.scheduleId });
  }

  /**
   * Claim nothing new until {@link unpause}. What was claimed before goes on, unless its trigger died and nobody had
   * called its start; what falls in the pause becomes a gap and is never caught up.
   *
   * @throws {ScheduleNotFoundError}
   */
  async pause(note = 'Paused via Escapement'): Promise<void> {
    await this.#change((transaction, locked) => pauseSchedule(transaction, locked, note));
  }

  /**
   * Go on from now. A gap answers for the occurrences that fell in the pause.
   *
   * @throws {ScheduleNotFoundError}
   */
  async unpause(note = 'Unpaused via Escapement'): Promise<void> {
    await this.#change(async (transaction, locked) => {
      if (!locked.paused) return;
      await unpauseSchedule(transaction, locked, note, answerPause(locked));
    });
  }

  /**
   * Fire once now, besides the spec and on a paused schedule too.
   *
   * @param overlap @default the schedule's own policy
   * @returns the firing, `buffered` until a trigger claims it within a second
   * @throws {InvalidScheduleError} for an unknown overlap policy
   * @throws {ScheduleNotFoundError}
   */
  async trigger(overlap?: OverlapPolicy): Promise<Firing> {
    readOverlap('overlap', overlap);
    const { identity } = this.context;
    return this.#change(async (transaction, locked) => {
      const { scheduleId } = this;
      const scheduledTime = await nextManualTime(transaction, locked);
      await ensurePartitions(transaction, [scheduledTime]);
      const { workflowId } = locked.definition.action;
      const identityOfFiring = { scheduleId, scheduledTime, workflowId, kind: 'manual' as const, epoch: 0 };
      const firing = { scheduledTime, workflowId: workflowIdOf(identityOfFiring), actor: identity, overlap };
      await bufferManualFiring(transaction, locked, firing);
      return (await readFiring(transaction, scheduleId, scheduledTime))!;
    });
  }

  /**
   * Delete the schedule. Its history stays, workflows that run go on, and the ID may be used again.
   *
   * @throws {ScheduleNotFoundError}
   */
  async delete(): Promise<void> {
    await this.#change((transaction, locked) => deleteSchedule(transaction, locked));
  }

  /** Firings of this schedule, newest first, read page by page; those of a deleted one too. */
  firings(options: Omit<FiringFilter, 'scheduleId'> & { pageSize?: number } = {}): AsyncIterable<Firing> {
    const { pageSize, ...filter } = options;
    return paged(pageSize, async (cursor: Firing | undefined, size) => {
      await this.context.ready();
      return readFiringsPage(this.context.store, { ...filter, scheduleId: this.scheduleId }, { cursor, size });
    });
  }

  #now(): Date {
    return this.context.now?.() ?? new Date();
  }

  async #read(): Promise<ScheduleRow> {
    await this.context.ready();
    const row = await readSchedule(this.context.store, this.scheduleId);
    if (!row) throw new ScheduleNotFoundError(this.scheduleId);
    return row;
  }

  /** Run a change under the schedule's lock. */
  async #change<Result>(change: (transaction: Store, locked: LockedSchedule) => Promise<Result>): Promise<Result> {
    await this.context.ready();
    return transact(this.context.store, async (transaction) => {
      const locked = await lockSchedule(transaction, this.scheduleId, this.context.now?.());
      if (!locked || locked.deleted) throw new ScheduleNotFoundError(this.scheduleId);
      return change(transaction, locked);
    });
  }
}

/** The gap over a pause and the time after it; undefined when the stored spec cannot be evaluated. */
function answerPause(locked: LockedSchedule) {
  const compiled = compileStored(locked);
  if (!compiled) return undefined;
  const now = locked.now.getTime();
  const next = compiled.next(now);
  return {
    gap: gapOver(compiled, locked.answeredTo.getTime(), now, 'paused'),
    nextFireAt: next === undefined ? undefined : new Date(next),
  };
}
