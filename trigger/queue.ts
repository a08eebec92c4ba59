import { DEFAULTS } from '../core/defaults';
import type { FiringKey, FiringKind } from '../core/firing';
import { FairLane } from './fair-lane';

/** A claim that is to be started. */
export interface QueuedClaim extends FiringKey {
  namespace: string;
  taskQueue: string;
  tenant: string;
  kind: FiringKind;
  /** When its workflow may begin, where that is still ahead. */
  startsAt: Date | null;
}

/**
 * Claims that are to be started, each once: what is due now before what is handed over ahead of its time, and that before
 * what is late. Catch-up, backfill and recovery after an outage take what is left. Within each, tenants by turns, oldest
 * claim first. A hint only: the rows are the truth, and dropping it loses nothing but time.
 */
export class StartQueue {
  readonly #due = new FairLane();
  readonly #ahead = new FairLane();
  readonly #late = new FairLane();
  readonly #lanes = [this.#due, this.#ahead, this.#late];
  #onAdd: () => void = () => {};

  get size(): number {
    return this.#due.size + this.#ahead.size + this.#late.size;
  }

  /** Those that have a time to keep. */
  get timely(): number {
    return this.#due.size + this.#ahead.size;
  }

  /** Call `listener` whenever something was added. */
  onAdd(listener: () => void): void {
    this.#onAdd = listener;
  }

  add(claims: readonly QueuedClaim[], now: number): void {
    if (claims.length === 0) return;
    for (const { scheduleId, scheduledTime, namespace, taskQueue, tenant, kind, startsAt } of claims) {
      const claim = { scheduleId, scheduledTime, namespace, taskQueue, tenant, kind, startsAt };
      const lane = this.#laneOf(claim, now);
      for (const other of this.#lanes) if (other !== lane) other.delete(claim);
      lane.add(claim);
    }
    this.#onAdd();
  }

  /** Remove and return the first `limit` that `mayGo`. */
  take(limit: number, mayGo: (claim: QueuedClaim) => boolean = () => true): QueuedClaim[] {
    const taken: QueuedClaim[] = [];
    for (const lane of this.#lanes) {
      while (taken.length < limit) {
        const claim = lane.take(mayGo);
        if (!claim) break;
        taken.push(claim);
      }
    }
    return taken;
  }

  /** All that waits. */
  waiting(): QueuedClaim[] {
    return this.#lanes.flatMap((lane) => [...lane]);
  }

  clear(): void {
    for (const lane of this.#lanes) lane.clear();
  }

  #laneOf({ kind, scheduledTime, startsAt }: QueuedClaim, now: number): FairLane {
    if (startsAt && startsAt.getTime() > now) return this.#ahead;
    if (kind === 'manual') return this.#due;
    const isLate = kind === 'backfill' || now - scheduledTime.getTime() > DEFAULTS.onTimeMilliseconds;
    return isLate ? this.#late : this.#due;
  }
}
