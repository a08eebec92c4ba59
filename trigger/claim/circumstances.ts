import type { OpenFiring } from '../../store/firings/open-firings';
import type { Quota } from './quota';

/** Firings that block a schedule, after Temporal was asked which of their chains have ended. */
export interface Verified {
  /** The nominal times of those that were found to block it still, in epoch milliseconds. */
  holders: ReadonlySet<number>;
  /** How many of them have a chain that runs in Temporal. */
  begun: number;
}

export type VerifiedHolders = Map<string, Verified>;

/**
 * Everything, besides the plan, on which a decision about a schedule depends. Open and taken firings and the quota were
 * read under the schedule's lock.
 */
export interface Circumstances {
  now: number;
  open: OpenFiring[];
  /** Planned occurrences that already have a row, for example since they were excluded or backfilled. */
  taken: ReadonlySet<number>;
  verified: VerifiedHolders;
  cancelWaitMilliseconds: number;
  /** If as many buffered firings of the schedule were read, more may wait. */
  waitingAtMost: number;
  /** @default no limit */
  quota?: Quota | undefined;
}
