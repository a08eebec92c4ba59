import type { Logger } from '@temporalio/common';
import { Complaints } from '../../logging/complaints';
import type { Store } from '../../store/connection';
import type { DueTimer } from '../../store/schedules/due';
import { describeHolder, type LockHolder, lockHoldersOfEach } from '../../store/schedules/lock-holders';
import type { TriggerProblem } from '../../store/table-values';

/** Locks are logged only after this time, since a claim by another trigger usually takes less time. */
const SAID_AFTER_MILLISECONDS = 2_000;
const SAID_AT_MOST = 10;
const ASKED_AT_MOST = 1_000;
/** A pass that leaves due timers unread does not tell which locks are gone. So Postgres is asked after this time. */
const ASKED_AFTER_MILLISECONDS = 5_000;
/**
 * If claims fail, nobody asks Postgres again. So a lock is reported only for this long after it was last seen. During
 * two slow passes the report must last: the first may begin just before Postgres may be asked, the second asks at its
 * end.
 */
const REPORTED_FOR_MILLISECONDS = 30_000;

interface Held {
  seq: string;
  since: number;
  /** When a claim last could not lock the timer, or Postgres last named the same holder. */
  seenAt: number;
  by?: LockHolder;
}

/** Due schedules that cannot be claimed because another session keeps them locked. */
export class HeldUp {
  readonly #held = new Map<string, Held>();
  readonly #complaints: Complaints;

  constructor(logger: Logger) {
    this.#complaints = new Complaints(logger, {
      failing: 'a schedule is locked, so it is not claimed',
      over: 'the schedule is free to be claimed again',
    });
  }

  /**
   * Log which sessions hold locks that have lasted for two seconds or longer.
   *
   * @param missed due timers that a claim could not lock
   * @param claim.isWhole whether the claim read every due timer
   */
  async say(store: Store, missed: DueTimer[], { now, isWhole }: { now: number; isWhole: boolean }): Promise<void> {
    if (this.#held.size === 0 && missed.length === 0) return;
    const ids = new Set(missed.map(({ scheduleId }) => scheduleId));
    const others = [...this.#held.keys()].filter((scheduleId) => !ids.has(scheduleId));
    if (isWhole) for (const scheduleId of others) this.#forget(scheduleId);
    else await this.#forgetReleased(store, others, now);
    for (const { scheduleId, seq } of missed) {
      const known = this.#held.get(scheduleId);
      this.#held.set(scheduleId, { ...(known?.seq === seq ? known : { seq, since: now }), seenAt: now });
    }
    const lasting = missed
      .map(({ scheduleId }) => scheduleId)
      .filter((scheduleId) => now - this.#held.get(scheduleId)!.since >= SAID_AFTER_MILLISECONDS);
    if (lasting.length === 0) return;
    const holders = await lockHoldersOfEach(store, lasting.slice(0, ASKED_AT_MOST));
    for (const { scheduleId, ...by } of holders) this.#held.get(scheduleId)!.by = by;
    for (const scheduleId of lasting.slice(0, SAID_AT_MOST)) {
      const heldBy = holders.filter((one) => one.scheduleId === scheduleId).map(describeHolder);
      if (heldBy.length > 0) this.#complaints.failed({ scheduleId }, heldBy.join('; '));
    }
  }

  problems(now: number): TriggerProblem[] {
    const held = [...this.#held].flatMap(([scheduleId, one]) => {
      const { since, by } = one;
      return by && isSeenWithin(REPORTED_FOR_MILLISECONDS, one, now) ? [{ scheduleId, since, by }] : [];
    });
    return [...new Set(held.map(({ by }) => by.pid))].map((pid) => {
      const ofOne = held.filter(({ by }) => by.pid === pid);
      const scheduleIds = ofOne.map(({ scheduleId }) => scheduleId).sort();
      const more = scheduleIds.length > 1 ? ` and ${scheduleIds.length - 1} more` : '';
      return {
        condition: 'lock_held',
        subject: `process ${pid}`,
        since: new Date(Math.min(...ofOne.map(({ since }) => since))).toISOString(),
        text: `Postgres: ${describeHolder(ofOne[0]!.by)} keeps '${scheduleIds[0]}'${more} locked: its due occurrences are not claimed.`,
        action: `End it, if nobody works there: select pg_terminate_backend(${pid}).`,
        scheduleIds,
      };
    });
  }

  async #forgetReleased(store: Store, unread: string[], now: number): Promise<void> {
    const old = unread
      .filter((scheduleId) => !isSeenWithin(ASKED_AFTER_MILLISECONDS, this.#held.get(scheduleId)!, now))
      .slice(0, ASKED_AT_MOST);
    if (old.length === 0) return;
    const holders = await lockHoldersOfEach(store, old);
    for (const scheduleId of old) {
      const held = this.#held.get(scheduleId)!;
      // Another process may lock the schedule only for a moment, such as a trigger that claims it.
      const isSame = holders.some((one) => one.scheduleId === scheduleId && one.pid === held.by?.pid);
      if (isSame) held.seenAt = now;
      else this.#forget(scheduleId);
    }
  }

  #forget(scheduleId: string): void {
    this.#held.delete(scheduleId);
    this.#complaints.over({ scheduleId });
  }
}

function isSeenWithin(milliseconds: number, { seenAt }: Held, now: number): boolean {
  // The clock may have been set back.
  return Math.abs(now - seenAt) < milliseconds;
}
