import type { Logger } from '@temporalio/common';
import type { Store } from '../../store/connection';
import type { DueTimer } from '../../store/schedules/due';
import { describeHolder, lockHolders } from '../../store/schedules/lock-holders';
import { Complaints } from '../complaints';

/** A claim of another trigger is over by then. */
const SAID_AFTER_MILLISECONDS = 2_000;
/** Somebody who keeps all locked is said of these. */
const SAID_AT_MOST = 10;

/** Schedules that are due and stay unclaimed, since somebody keeps them locked. */
export class HeldUp {
  readonly #held = new Map<string, { seq: number; since: number }>();
  readonly #complaints: Complaints;

  constructor(logger: Logger) {
    this.#complaints = new Complaints(logger, {
      failing: 'a schedule is locked, so that it is not claimed',
      over: 'the schedule is free to be claimed again',
    });
  }

  /**
   * Say whose lock it is, of those that last.
   *
   * @param missed due timers that a claim did not get
   * @param claim.isWhole whether that claim saw all that is due
   */
  async say(store: Store, missed: DueTimer[], { now, isWhole }: { now: number; isWhole: boolean }): Promise<void> {
    if (this.#held.size === 0 && missed.length === 0) return;
    if (isWhole) this.#forgetOthers(new Set(missed.map(({ scheduleId }) => scheduleId)));
    for (const { scheduleId, seq } of missed) {
      if (this.#held.get(scheduleId)?.seq !== seq) this.#held.set(scheduleId, { seq, since: now });
    }
    const lasting = missed.filter(
      ({ scheduleId }) => now - this.#held.get(scheduleId)!.since >= SAID_AFTER_MILLISECONDS,
    );
    for (const { scheduleId } of lasting.slice(0, SAID_AT_MOST)) {
      const heldBy = (await lockHolders(store, scheduleId)).map(describeHolder);
      if (heldBy.length > 0) this.#complaints.failed({ scheduleId }, heldBy.join('; '));
    }
  }

  #forgetOthers(missed: Set<string>): void {
    for (const scheduleId of this.#held.keys()) {
      if (missed.has(scheduleId)) continue;
      this.#held.delete(scheduleId);
      this.#complaints.over({ scheduleId });
    }
  }
}
