import { keyOf } from '../rows';
import { type FiringRow, NOTHING_SEEN, type Snapshot } from '../snapshot';
import { memoOf, type PlayedChain } from '../temporal';
import type { World } from '../world';

/** Facts about a firing at the time of its claim. */
export interface SeenClaim {
  /** Order of the decision. */
  step: number;
  claimedAt: number;
  scheduledTime: number;
  /** Maximum number of other running firings at its start. */
  capacity: number;
  /** Whether a person had it redriven, so that it did not wait for claims of the same step and instant. */
  unordered: boolean;
}

/** What the invariants remember from step to step, and the problems that they find. */
export class Memory {
  /** The ledger before and after the present step. */
  before: Snapshot = NOTHING_SEEN;
  after: Snapshot = NOTHING_SEEN;
  /** By the key of the firing, as the next ones. */
  readonly claims = new Map<string, SeenClaim>();
  /** The chain that stands for a firing: the latest one begun for it. */
  readonly chains = new Map<string, PlayedChain>();
  /** Firings that were claimed again for a letter. */
  readonly restarts = new Set<string>();
  /** Schedules with a requested firing that interrupts others. If it is run again, it may no longer say so. */
  readonly interrupting = new Set<string>();
  /** How many of the chains and resets that the network knows were already checked. */
  begunSeen = 0;
  resetsSeen = 0;
  /** Counts the steps. */
  step = 0;
  problems: string[] = [];

  constructor(readonly world: World) {}

  chainOf(row: FiringRow): PlayedChain | undefined {
    return this.chains.get(keyOf(row));
  }

  /**
   * By its policy, a schedule ignores a firing with a parked step. If that step is redriven, the firing runs in
   * parallel with later ones.
   */
  isLetGo(chain: PlayedChain): boolean {
    const { double, schedules } = this.world;
    const { setup } = schedules.find(({ scheduleId }) => scheduleId === memoOf(chain).scheduleId)!;
    return setup.policies.parkedHolds === false && double.parked.has(chain);
  }

  problem(text: string): void {
    this.problems.push(text);
  }
}
