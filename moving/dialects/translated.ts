import type { ScheduleSpec } from '../../core/schedule/spec';

/** The translation of an expression of another scheduler. */
export interface Translated {
  /** Valid for `create`. */
  spec: ScheduleSpec;
  /** Notes for a person on points that the spec does not show. */
  notes: string[];
}
