import { randomUUID } from 'node:crypto';
import type { EndedRun, EndedRuns, EndedRunsPage, WorkflowStart } from '../../temporal/port';
import { TemporalDouble } from '../../testing';

/** How long ends stay in the list: longer than a trigger reads back. */
const LISTED_MILLISECONDS = 10 * 60_000;

/**
 * A simulated Temporal that costs almost nothing, for scenes that measure only the ledger. The simulation accepts each
 * start at once, and each workflow completes after a second. The time to read its list of ends does not depend on how
 * many ends there are.
 */
export class InstantTemporal extends TemporalDouble {
  readonly #ends: EndedRun[] = [];

  constructor(namespace: string) {
    super({ now: () => Date.now() }, { namespaces: [namespace] });
  }

  override async startWorkflow({ firing, memo }: WorkflowStart): Promise<{ runId: string }> {
    const runId = randomUUID();
    const { workflowId } = firing;
    this.#ends.push({ workflowId, runId, memo, outcome: 'completed', closedAt: new Date(Date.now() + 1_000) });
    return { runId };
  }

  override async listEnds(_namespace: string, { since }: EndedRunsPage): Promise<EndedRuns> {
    const now = Date.now();
    const kept = this.#ends.findIndex(({ closedAt }) => closedAt.getTime() >= now - LISTED_MILLISECONDS);
    if (kept > 0) this.#ends.splice(0, kept);
    const from = this.#ends.findLastIndex(({ closedAt }) => closedAt < since) + 1;
    const to = this.#ends.findLastIndex(({ closedAt }) => closedAt.getTime() <= now) + 1;
    return { runs: this.#ends.slice(from, to).reverse(), next: undefined };
  }
}
