import type { ScheduleSpec } from '../../core/schedule/spec';

export interface Translated {
  /** The spec is not validated yet. */
  spec: ScheduleSpec;
  /** Notes for a person on points that the spec does not express. */
  notes: string[];
}
