import { DEFAULTS } from '../core/defaults';
import { type FiringKey, type FiringKind, nameOf } from '../core/firing';

/** A claim that is to be started. */
export interface QueuedClaim extends FiringKey {
  namespace: string;
  kind: FiringKind;
}

/**
 * Claims that are to be started, each once, oldest claim first; what is due now before what is late: catch-up, backfill
 * and recovery after an outage take what is left. A hint only: the rows are the truth, and dropping it loses nothing but time.
 */
export class StartQueue {
  readonly #due = new Map<string, QueuedClaim>();
  readonly #late = new Map<string, QueuedClaim>();
  #onAdd: () => void = () => {};

  get size(): number {
    return this.#due.size + this.#late.size;
  }

  /** Call `listener` whenever something was added. */
  onAdd(listener: () => void): void {
    this.#onAdd = listener;
  }

  add(claims: readonly QueuedClaim[], now: number): void {
    if (claims.length === 0) return;
    for (const { scheduleId, scheduledTime, namespace, kind } of claims) {
      const claim = { scheduleId, scheduledTime, namespace, kind };
      const name = nameOf(claim);
      const [lane, other] = isLate(claim, now) ? [this.#late, this.#due] : [this.#due, this.#late];
      other.delete(name);
      lane.set(name, claim);
    }
    this.#onAdd();
  }

  /** Remove and return the first `limit`. */
  take(limit: number): QueuedClaim[] {
    const taken: QueuedClaim[] = [];
    for (const lane of [this.#due, this.#late]) {
      for (const [name, claim] of lane) {
        if (taken.length === limit) return taken;
        lane.delete(name);
        taken.push(claim);
      }
    }
    return taken;
  }

  /** All that waits. */
  waiting(): QueuedClaim[] {
    return [...this.#due.values(), ...this.#late.values()];
  }

  clear(): void {
    this.#due.clear();
    this.#late.clear();
  }
}

function isLate({ kind, scheduledTime }: QueuedClaim, now: number): boolean {
  if (kind === 'manual') return false;
  return kind === 'backfill' || now - scheduledTime.getTime() > DEFAULTS.onTimeMilliseconds;
}
