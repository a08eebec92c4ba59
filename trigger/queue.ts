import { type FiringKey, nameOf } from '../core/firing';

/**
 * Claims that are to be started, oldest claim first, each once. A hint only: the rows are the truth, and dropping it
 * loses nothing but time.
 */
export class StartQueue {
  readonly #keys = new Map<string, FiringKey>();
  #onAdd: () => void = () => {};

  get size(): number {
    return this.#keys.size;
  }

  /** Call `listener` whenever something was added. */
  onAdd(listener: () => void): void {
    this.#onAdd = listener;
  }

  add(keys: readonly FiringKey[]): void {
    if (keys.length === 0) return;
    for (const { scheduleId, scheduledTime } of keys) {
      const key = { scheduleId, scheduledTime };
      this.#keys.set(nameOf(key), key);
    }
    this.#onAdd();
  }

  /** Remove and return the first `limit`. */
  take(limit: number): FiringKey[] {
    const taken: FiringKey[] = [];
    for (const [name, key] of this.#keys) {
      if (taken.length === limit) break;
      this.#keys.delete(name);
      taken.push(key);
    }
    return taken;
  }

  clear(): void {
    this.#keys.clear();
  }
}
