import type { FrozenPlan } from '../../core/decisions/freeze';
import type { ReleasedFiring } from '../../store/firings/claim';
import type { OpenFiring } from '../../store/firings/open-firings';
import type { DueTimer } from '../../store/schedules/due';
import type { CompiledDefinition } from '../definitions';

/** A due schedule and its planned occurrences. */
export interface DuePlan {
  timer: DueTimer;
  definition: CompiledDefinition;
  plan: FrozenPlan;
  /** When the pause ended, if the pause is over by now. */
  endsPause?: Date;
  /** The start time of the single firing of a plan that was made ahead. @default the plan is due */
  startsAt?: Date;
}

/** A schedule for which overlap would skip, and the firings that block it. */
export interface Suspect {
  scheduleId: string;
  holding: OpenFiring[];
}

/** A buffered firing and the decision on it. */
export type Released = ReleasedFiring;
