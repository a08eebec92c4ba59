import type { FiringKey } from '../../core/firing';
import type { NewFiring, TimerAdvance } from '../../store/firings/claim';
import type { WantedInterrupt } from '../../store/firings/interrupt';
import type { Released, Suspect } from './due-plan';

/** The decision about one schedule: either rows to write, or a suspected overlap about which Temporal must be asked. */
export type Decided = {
  /**
   * Claimed firings that were to be interrupted once linked, although no other firing waits for their end any more.
   * Their interrupt is withdrawn, even if an overlap is only suspected.
   */
  withdrawn: FiringKey[];
} & (
  | { suspect: Suspect }
  | {
      suspect: undefined;
      firings: NewFiring[];
      released: Released[];
      interrupts: WantedInterrupt[];
      /** Linked firings for whose end buffered firings of the schedule wait. */
      awaited: FiringKey[];
      advance: TimerAdvance;
      /** Whether the tenant's quota postponed a firing. */
      isDelayed: boolean;
    }
);
