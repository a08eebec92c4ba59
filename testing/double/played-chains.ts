import { TemporalCallError, type WorkflowStart } from '../../temporal/port';
import type { Clock } from '../../trigger/clock';
import type { DoubleBehaviour } from './behaviour';
import { PlayedChain } from './played-chain';

/** The chains that a {@link TemporalDouble} knows, by their workflow IDs, and start calls that have not arrived yet. */
export class PlayedChains {
  readonly #current = new Map<string, PlayedChain>();
  readonly #all: PlayedChain[] = [];
  #underWay: { start: WorkflowStart; landsAt: number }[] = [];

  /**
   * @param behaviourOf how a start is simulated. The function throws a TemporalCallError for a start that Temporal
   * refuses
   */
  constructor(
    private readonly clock: Clock,
    private readonly retentionMilliseconds: number,
    private readonly behaviourOf: (start: WorkflowStart) => DoubleBehaviour,
  ) {}

  /** All chains in the order of their starts, including those that retention has removed. */
  all(): readonly PlayedChain[] {
    this.land();
    return this.#all;
  }

  /** The chain with a workflow ID, if retention has not removed it. */
  find(namespace: string, workflowId: string): PlayedChain | undefined {
    this.land();
    const chain = this.#current.get(keyOf(namespace, workflowId));
    return chain && this.#forgetsAt(chain) > this.clock.now() ? chain : undefined;
  }

  /** Like {@link find}, but throws if there is no such chain. */
  known(namespace: string, workflowId: string): PlayedChain {
    const chain = this.find(namespace, workflowId);
    if (!chain) throw new Error(`no workflow ${workflowId} in namespace ${namespace}`);
    return chain;
  }

  /** The runs of all chains in a namespace that retention has not removed. */
  runs(namespace: string) {
    return [...this.#current.values()].flatMap((chain) => {
      const { workflowId, start } = chain;
      if (this.find(namespace, workflowId) !== chain) return [];
      return chain.runs(this.clock.now()).map((run) => ({ workflowId, memo: start.memo, run }));
    });
  }

  /**
   * Starts a chain as with REJECT_DUPLICATE: until retention removes it, a workflow ID has only one chain, running or
   * closed. The request that began its current run gets the same chain again.
   */
  start(start: WorkflowStart, at: number): PlayedChain {
    const { namespace, workflowId } = start.firing;
    const known = this.#current.get(keyOf(namespace, workflowId));
    if (known && this.#forgetsAt(known) > at) {
      if (known.answers(start.requestId, at)) return known;
      throw new TemporalCallError(`workflow ID ${workflowId} is taken`, 'taken');
    }
    const chain = new PlayedChain(start, this.behaviourOf(start), at);
    this.#current.set(keyOf(namespace, workflowId), chain);
    this.#all.push(chain);
    return chain;
  }

  /** Lets a start arrive later, after its caller has given up. */
  startLater(start: WorkflowStart, landsAt: number): void {
    this.#underWay.push({ start, landsAt });
  }

  /** Lets start calls arrive that should have arrived by now. Their callers have given up, and get no answer. */
  land(): void {
    const now = this.clock.now();
    const landing = this.#underWay.filter(({ landsAt }) => landsAt <= now);
    if (landing.length === 0) return;
    this.#underWay = this.#underWay.filter(({ landsAt }) => landsAt > now);
    landing.sort((one, other) => one.landsAt - other.landsAt);
    for (const { start, landsAt } of landing) {
      try {
        this.start(start, landsAt);
      } catch (error) {
        if (!(error instanceof TemporalCallError)) throw error;
      }
    }
  }

  #forgetsAt(chain: PlayedChain): number {
    return chain.endsAt + this.retentionMilliseconds;
  }
}

function keyOf(namespace: string, workflowId: string): string {
  return `${namespace} ${workflowId}`;
}
