import type { Random } from '../random';
import type { World } from '../world/world';

/** A fault of a plan: plain data, so that a log can be replayed. */
export interface PlannedFault {
  name: string;
  /** Milliseconds after the faults begin. */
  at: number;
  milliseconds: number;
  /** What it is done to: members by name, `postgres`, `temporal`. Nothing else is done to these meanwhile. */
  targets: string[];
  detail: Record<string, string | number>;
}

/** Between these the ledger took writes that it has no longer: an asynchronous failover, or a backup that was put back. */
export interface Lost {
  from: number;
  to: number;
}

/** A kind of fault. */
export interface Nemesis {
  name: string;
  /** How often it is drawn, beside the others. */
  weight: number;
  /** @param members names of triggers and workers */
  draw(random: Random, members: readonly string[]): Pick<PlannedFault, 'milliseconds' | 'targets' | 'detail'>;
  /** Does it, waits for as long as it lasts, and mends it. */
  run(world: World, fault: PlannedFault): Promise<Lost | undefined>;
}

export const triggersAmong = (members: readonly string[]) => members.filter((name) => name.startsWith('trigger'));
