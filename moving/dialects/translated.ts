import type { ScheduleSpec } from '../../core/schedule/spec';

/** The translation of an expression of another scheduler. */
export interface Translated {
  /** The translated spec, in the form of `create`. It is not validated yet. */
  spec: ScheduleSpec;
  /** Notes for a person on points that the spec does not express. */
  notes: string[];
}
