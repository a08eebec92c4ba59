import type { OpenStore } from '../store/connection';
import { readDueByTurns, readTimers } from '../store/due';
import type { Clock } from './clock';
import type { GrowingBatch } from './growing-batch';

/** Where it looks, and by which clock. */
interface Dealing {
  store: OpenStore;
  clock: Clock;
}

/** Schedules that are looked up by turns at once. */
const TURNS_AT_MOST = 20_000;
/** What is due changes: after this long the turns are dealt anew. */
const KEPT_MILLISECONDS = 2_000;

/**
 * The turns of tenants while more is due than one pass takes: one schedule of each, so that a hundred thousand of one do
 * not keep another's single one waiting. A hint, as the start queue: the timers are the truth.
 */
export class Backlog {
  #scheduleIds: string[] = [];
  #dealtAt = Number.NEGATIVE_INFINITY;
  #without = '';

  /** Whether the last look found what was missed, and left more. */
  isBehind = false;

  get isEmpty(): boolean {
    return this.#scheduleIds.length === 0;
  }

  /**
   * Deal the turns of what is due, without some namespaces. None where there is one tenant alone: then the longest overdue goes
   * first.
   */
  async deal({ store, clock }: Dealing, without: string[] = []): Promise<void> {
    this.#dealtAt = clock.now();
    this.#without = without.join();
    this.#scheduleIds = await readDueByTurns(store, new Date(this.#dealtAt), { limit: TURNS_AT_MOST, without });
  }

  /** Look anew. */
  drop(): void {
    this.#scheduleIds = [];
  }

  /** The timers whose turn is next; undefined when there are none. Without some namespaces nothing else deals them. */
  async take(context: Dealing & { claims: GrowingBatch }, without: string[] = []) {
    const { store, clock, claims } = context;
    if (clock.now() - this.#dealtAt > KEPT_MILLISECONDS || this.#without !== without.join()) {
      this.#scheduleIds = [];
      if (without.length > 0) await this.deal(context, without);
    }
    if (this.isEmpty) return undefined;
    return readTimers(store, this.#scheduleIds.splice(0, claims.size));
  }
}
