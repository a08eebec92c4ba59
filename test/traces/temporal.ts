import type { FiringOutcome } from '../../core/firing';
import type { FiringMemo } from '../../temporal/port';
import { TemporalDouble } from '../../testing';
import { PlayedChain } from '../../testing/double/played-chain';
import type { Clock } from '../../trigger/clock';

export type { PlayedChain } from '../../testing/double/played-chain';

/** A development server keeps closed workflows for a day. */
const RETENTION_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** How a chain is by now. */
export interface ChainState {
  /** Undefined while it runs, whichever run of it. */
  outcome: FiringOutcome | undefined;
  /** Epoch milliseconds. */
  closedAt: number | undefined;
  /** First run first; a retry, a continue-as-new and a reset each add one. */
  runIds: string[];
}

/** The Temporal of a trace: the kit's double, and what a trace asks of it by the chain itself. */
export class TracedTemporal extends TemporalDouble {
  constructor(private readonly time: Clock) {
    super(time, { retentionMilliseconds: RETENTION_MILLISECONDS });
  }

  /** How a chain is by now; also one that Temporal has forgotten. */
  stateOf(chain: PlayedChain): ChainState {
    const now = this.time.now();
    const runs = chain.runs(now);
    const { outcome, closedAt } = PlayedChain.stateOf(runs.at(-1)!, now);
    return { outcome, closedAt: closedAt?.getTime(), runIds: runs.map(({ runId }) => runId) };
  }

  isRunning(chain: PlayedChain): boolean {
    return !chain.isOver(this.time.now());
  }

  /** Whether Temporal still has it. */
  knows(chain: PlayedChain): boolean {
    return this.chain(chain.namespace, chain.workflowId) === chain;
  }

  running(): PlayedChain[] {
    return this.chains().filter((chain) => this.isRunning(chain));
  }
}

/** The firing that a chain was started for; nothing else is started in a trace. */
export function memoOf(chain: PlayedChain): FiringMemo {
  return chain.start.memo!;
}
