import { keyOf } from '../rows';
import { type FiringRow, NOTHING_SEEN, type Snapshot } from '../snapshot';
import { memoOf, type PlayedChain } from '../temporal';
import type { World } from '../world';

/** What was seen of a firing when it was claimed. */
export interface SeenClaim {
  /** Decided in this order. */
  step: number;
  claimedAt: number;
  scheduledTime: number;
  /** How many others may run for it to begin. */
  capacity: number;
  /** A person had it tried again, and it did not wait for what was claimed in that step at that instant. */
  unordered: boolean;
}

/** What the invariants keep in mind from step to step, and what they find wrong. */
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
  /** Schedules of which a firing was asked for that interrupts others; run again, it may no longer say so. */
  readonly interrupting = new Set<string>();
  /** Of the chains and the resets that the network knows, so many were looked at. */
  begunSeen = 0;
  resetsSeen = 0;
  /** Counts the steps. */
  step = 0;
  problems: string[] = [];

  constructor(readonly world: World) {}

  chainOf(row: FiringRow): PlayedChain | undefined {
    return this.chains.get(keyOf(row));
  }

  /** By its policy a schedule goes on without a firing whose step was parked; told to go on, that runs beside what began meanwhile. */
  isLetGo(chain: PlayedChain): boolean {
    const { double, schedules } = this.world;
    const { setup } = schedules.find(({ scheduleId }) => scheduleId === memoOf(chain).scheduleId)!;
    return setup.policies.parkedHolds === false && double.parked.has(chain);
  }

  problem(text: string): void {
    this.problems.push(text);
  }
}
