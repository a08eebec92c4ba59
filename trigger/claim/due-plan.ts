import type { FrozenPlan } from '../../core/decisions/freeze';
import type { ReleasedFiring } from '../../store/firings/claim';
import type { OpenFiring } from '../../store/firings/open-firings';
import type { DueTimer } from '../../store/schedules/due';
import type { CompiledDefinition } from '../definitions';

/** A due schedule and what its occurrences come to. */
export interface DuePlan {
  timer: DueTimer;
  definition: CompiledDefinition;
  plan: FrozenPlan;
  /** When the pause ended that is over by now. */
  endsPause?: Date;
  /** When the one firing of a plan made ahead may begin. @default it is due */
  startsAt?: Date;
}

/** A schedule that overlap would make skip, and the firings that hold it. */
export interface Suspect {
  scheduleId: string;
  holding: OpenFiring[];
}

/** A buffered firing and what becomes of it. */
export type Released = ReleasedFiring;
