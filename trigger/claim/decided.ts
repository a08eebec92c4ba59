import type { FiringKey } from '../../core/firing';
import type { NewFiring, TimerAdvance } from '../../store/firings/claim';
import type { WantedInterrupt } from '../../store/firings/interrupt';
import type { Released, Suspect } from './due-plan';

/** The decision on one schedule: rows to write, or a suspicion that Temporal must settle. */
export type Decided =
  | { suspect: Suspect }
  | {
      suspect: undefined;
      firings: NewFiring[];
      released: Released[];
      interrupts: WantedInterrupt[];
      /** Linked firings that block others. */
      awaited: FiringKey[];
      advance: TimerAdvance;
      /** Whether the tenant's quota postponed any occurrence. */
      isDelayed: boolean;
    };
