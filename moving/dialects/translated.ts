import type { ScheduleSpec } from '../../core/schedule/spec';

/** The translation of an expression of another scheduler. */
export interface Translated {
  /** The translated spec, which is valid for `create`. */
  spec: ScheduleSpec;
  /** Notes for a person on points that the spec does not express. */
  notes: string[];
}
