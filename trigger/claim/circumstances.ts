import type { OpenFiring } from '../../store/firings/open-firings';
import type { Quota } from './quota';

/** Firings that hold a schedule, after Temporal was asked which of their chains have ended. */
export interface Verified {
  /** The nominal times of the firings that still hold the schedule, in epoch milliseconds. */
  holders: ReadonlySet<number>;
  /** How many of these firings have a chain that runs in Temporal. */
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
  /** At most this many buffered firings are read for each schedule. If as many were read, more may wait. */
  waitingAtMost: number;
  /** @default no limit */
  quota?: Quota | undefined;
}
