import { type FiringKey, nameOf } from '../core/firing';

/** A claim that is to be started. */
export interface QueuedClaim extends FiringKey {
  namespace: string;
}

/**
 * Claims that are to be started, oldest claim first, each once. A hint only: the rows are the truth, and dropping it
 * loses nothing but time.
 */
export class StartQueue {
  readonly #claims = new Map<string, QueuedClaim>();
  #onAdd: () => void = () => {};

  get size(): number {
    return this.#claims.size;
  }

  /** Call `listener` whenever something was added. */
  onAdd(listener: () => void): void {
    this.#onAdd = listener;
  }

  add(claims: readonly QueuedClaim[]): void {
    if (claims.length === 0) return;
    for (const { scheduleId, scheduledTime, namespace } of claims) {
      const claim = { scheduleId, scheduledTime, namespace };
      this.#claims.set(nameOf(claim), claim);
    }
    this.#onAdd();
  }

  /** Remove and return the first `limit`. */
  take(limit: number): QueuedClaim[] {
    const taken: QueuedClaim[] = [];
    for (const [name, claim] of this.#claims) {
      if (taken.length === limit) break;
      this.#claims.delete(name);
      taken.push(claim);
    }
    return taken;
  }

  /** All that waits. */
  waiting(): QueuedClaim[] {
    return [...this.#claims.values()];
  }

  clear(): void {
    this.#claims.clear();
  }
}
