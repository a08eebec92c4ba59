import type { FrozenPlan } from '../../core/decisions/freeze';
import type { ReleasedFiring } from '../../store/firings/claim';
import type { OpenFiring } from '../../store/firings/open-firings';
import type { DueTimer } from '../../store/schedules/due';
import type { CompiledDefinition } from '../definitions';

export interface DuePlan {
  timer: DueTimer;
  definition: CompiledDefinition;
  plan: FrozenPlan;
  /** When the schedule's timed pause ended, if that is yet to be recorded. */
  endsPause?: Date;
  /** The start time of the only firing in a plan that was made ahead of time. @default the plan is due */
  startsAt?: Date;
}

/**
 * A schedule with a firing that would be skipped because an open one overlaps, or that would end some of several open
 * ones, and the firings that block the schedule.
 */
export interface Suspect {
  scheduleId: string;
  holding: OpenFiring[];
  /** If this many of them run, the others change no decision. */
  full: number;
}

export type Released = ReleasedFiring;
