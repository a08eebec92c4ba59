import type { ScheduleSpec } from '../../core/schedule';

/** What an expression of another scheduler is here. */
export interface Translated {
  /** Valid for `create`. */
  spec: ScheduleSpec;
  /** What a person should know that the spec does not show. */
  notes: string[];
}
