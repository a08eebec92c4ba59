import type { OpenFiring } from '../../store/firings/open-firings';
import type { Quota } from './quota';

/** What Temporal has just confirmed to hold a schedule. */
export interface Verified {
  /** As {@link holdersOf} writes them. */
  holders: string;
  /** How many of the holders have begun. Temporal knows nothing of the others yet. */
  begun: number;
}

/** What Temporal has just confirmed, by schedule. */
export type VerifiedHolders = Map<string, Verified>;

/** What a decision rests on besides the plan. All of it was read under the schedule's lock. */
export interface Circumstances {
  now: number;
  open: OpenFiring[];
  /** Planned occurrences that have a row already: excluded, backfilled, or claimed before an update. */
  taken: ReadonlySet<number>;
  verified: VerifiedHolders;
  cancelWaitMilliseconds: number;
  /** As many waiting firings of one schedule were read at most. */
  waitingAtMost: number;
  /** What its tenant may still fire. @default any number */
  quota?: Quota | undefined;
}

/** The firings that hold a schedule, as one comparable text. */
export function holdersOf(holding: OpenFiring[]): string {
  return holding.map((firing) => firing.scheduledTime.toISOString()).join(' ');
}
