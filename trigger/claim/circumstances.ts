import type { OpenFiring } from '../../store/firings/open-firings';
import type { Quota } from './quota';

/** Firings that Temporal has just confirmed to be open, and that block a schedule. */
export interface Verified {
  /** The firings, in the form that {@link holdersOf} returns. */
  holders: string;
  /** How many of the blocking firings have begun. Temporal does not know the others yet. */
  begun: number;
}

/** The confirmed firings of each schedule. */
export type VerifiedHolders = Map<string, Verified>;

/** Everything besides the plan that a decision depends on. All of it was read under the schedule's lock. */
export interface Circumstances {
  now: number;
  open: OpenFiring[];
  /** Planned occurrences that already have a row: excluded, backfilled, or claimed before an update. */
  taken: ReadonlySet<number>;
  verified: VerifiedHolders;
  cancelWaitMilliseconds: number;
  /** The most waiting firings that were read for one schedule. */
  waitingAtMost: number;
  /** How many firings the tenant has left in this hour. @default no limit */
  quota?: Quota | undefined;
}

/** The firings that block a schedule, as one text that can be compared. */
export function holdersOf(holding: OpenFiring[]): string {
  return holding.map((firing) => firing.scheduledTime.toISOString()).join(' ');
}
