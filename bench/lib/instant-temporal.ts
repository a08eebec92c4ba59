import { randomUUID } from 'node:crypto';
import type { EndedRun, EndedRuns, EndedRunsPage, WorkflowStart } from '../../temporal/port';
import { TemporalDouble } from '../../testing';
import type { Clock } from '../../trigger/clock';

/** How long ends stay in the list, in milliseconds. A trigger never reads ends that are older. */
const LISTED_MILLISECONDS = 10 * 60_000;
const RUNS_MILLISECONDS = 1_000;

/**
 * A simulated Temporal that costs almost nothing, for scenes that measure only the ledger. The simulation accepts each
 * start at once, and each workflow completes after a second.
 */
export class InstantTemporal extends TemporalDouble {
  readonly #ends: EndedRun[] = [];
  /** The number of ends that are no longer in the list. */
  #forgotten = 0;

  readonly #clock: Clock;

  constructor(namespace: string, clock: Clock = { now: () => Date.now() }) {
    super(clock, { namespaces: [namespace] });
    this.#clock = clock;
  }

  override async startWorkflow({ firing, memo }: WorkflowStart): Promise<{ runId: string }> {
    const runId = randomUUID();
    const { workflowId } = firing;
    const closedAt = new Date(this.#clock.now() + RUNS_MILLISECONDS);
    this.#ends.push({ workflowId, runId, memo, outcome: 'completed', closedAt });
    return { runId };
  }

  override async listEnds(_namespace: string, { since, size, token }: EndedRunsPage): Promise<EndedRuns> {
    const now = this.#clock.now();
    this.#forget(now - LISTED_MILLISECONDS);
    const oldest = this.#ends.findLastIndex(({ closedAt }) => closedAt < since) + 1;
    const ended = this.#ends.findLastIndex(({ closedAt }) => closedAt.getTime() <= now) + 1;
    // A token is a number of ends, counted from the very first one. So ends that are forgotten between two reads do not
    // shift the pages.
    const to = token === undefined ? ended : Math.max(oldest, Number(token) - this.#forgotten);
    const from = Math.max(oldest, to - size);
    return {
      runs: this.#ends.slice(from, to).reverse(),
      next: from > oldest ? String(from + this.#forgotten) : undefined,
    };
  }

  #forget(before: number): void {
    const kept = this.#ends.findIndex(({ closedAt }) => closedAt.getTime() >= before);
    const count = kept < 0 ? this.#ends.length : kept;
    this.#ends.splice(0, count);
    this.#forgotten += count;
  }
}
