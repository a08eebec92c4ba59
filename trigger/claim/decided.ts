import type { FiringKey } from '../../core/firing';
import type { NewFiring, TimerAdvance } from '../../store/firings/claim';
import type { WantedInterrupt } from '../../store/firings/interrupt';
import type { Released, Suspect } from './due-plan';

/** What becomes of one schedule: rows to write, or a suspicion for Temporal to settle. */
export type Decided =
  | { suspect: Suspect }
  | {
      suspect: undefined;
      firings: NewFiring[];
      released: Released[];
      interrupts: WantedInterrupt[];
      /** Linked firings that others wait for. */
      awaited: FiringKey[];
      advance: TimerAdvance;
      /** Whether its tenant's quota left anything of it for later. */
      isDelayed: boolean;
    };
