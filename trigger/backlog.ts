import { readDueByTurns, readTimers } from '../store/due';
import type { TriggerContext } from './context';

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

  /** Whether the last look found what was missed, and left more. */
  isBehind = false;

  get isEmpty(): boolean {
    return this.#scheduleIds.length === 0;
  }

  /** Deal the turns of what is due. None where there is one tenant alone: then the longest overdue goes first. */
  async deal({ store, clock }: TriggerContext): Promise<void> {
    this.#dealtAt = clock.now();
    this.#scheduleIds = await readDueByTurns(store, new Date(this.#dealtAt), TURNS_AT_MOST);
  }

  /** Look anew. */
  drop(): void {
    this.#scheduleIds = [];
  }

  /** The timers whose turn is next; undefined when none has been dealt. */
  async take({ store, clock, claims }: TriggerContext) {
    if (clock.now() - this.#dealtAt > KEPT_MILLISECONDS) this.#scheduleIds = [];
    if (this.isEmpty) return undefined;
    return readTimers(store, this.#scheduleIds.splice(0, claims.size));
  }
}
