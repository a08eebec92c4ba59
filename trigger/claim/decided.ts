import type { FiringKey } from '../../core/firing';
import type { NewFiring, TimerAdvance } from '../../store/firings/claim';
import type { NewInterrupt } from '../../store/firings/interrupt';
import type { OpenFiring } from '../../store/firings/open-firings';
import type { Released, Suspect } from './due-plan';

/** The decision about one schedule: either rows to write, or a suspected overlap about which Temporal must be asked. */
export type Decided = {
  /**
   * Firings with an unsent interrupt for whose end, as far as is known, no other firing waits. The interrupt is
   * withdrawn, even if an overlap is only suspected. The list is empty while it is undecided who will wait.
   */
  spared: OpenFiring[];
} & (
  | { suspect: Suspect }
  | {
      suspect: undefined;
      /** About this, Temporal is asked after the rows are written, before any chain is ended. */
      suspectNext: Suspect | undefined;
      firings: NewFiring[];
      released: Released[];
      interrupts: NewInterrupt[];
      /** Linked firings for whose end buffered firings of the schedule wait. */
      awaited: FiringKey[];
      advance: TimerAdvance;
      /** Whether the tenant's quota postponed a firing. */
      isDelayed: boolean;
    }
);
