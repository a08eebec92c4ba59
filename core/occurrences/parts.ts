import type { Calendar } from './calendar';
import type { Interval } from './interval';
import type { Zone } from './zone';

/** A spec taken apart: what occurs is the union of calendars, intervals and instants, minus `skip`. Seconds. */
export interface Parts {
  readonly zone: Zone;
  readonly calendars: readonly Calendar[];
  readonly skip: readonly Calendar[];
  readonly intervals: readonly Interval[];
  /** Sorted, each once. */
  readonly instants: readonly number[];
  /** Inclusive bounds. */
  readonly first: number;
  readonly last: number;
}
