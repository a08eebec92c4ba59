import type { Random } from '../random';
import type { World } from '../world/world';

/** A fault of a plan: plain data, so that a log can be replayed. */
export interface PlannedFault {
  name: string;
  /** Milliseconds after the faults begin. */
  at: number;
  milliseconds: number;
  /**
   * The members and servers that the fault hits: members by name, `postgres`, `temporal`, `webhook`. No other fault hits
   * these targets at the same time.
   */
  targets: string[];
  detail: Record<string, string | number>;
}

/** A period whose writes the ledger may have lost, by an asynchronous failover or a restored backup. */
export interface Lost {
  from: number;
  to: number;
}

/** A kind of fault. */
export interface Nemesis {
  name: string;
  /** How likely this kind is in the random choice. */
  weight: number;
  /** @param members the names of triggers and workers */
  draw(random: Random, members: readonly string[]): Pick<PlannedFault, 'milliseconds' | 'targets' | 'detail'>;
  /** Cause the fault, wait for its duration, and end it. */
  run(world: World, fault: PlannedFault): Promise<Lost | undefined>;
}

export const triggersAmong = (members: readonly string[]) => members.filter((name) => name.startsWith('trigger'));
