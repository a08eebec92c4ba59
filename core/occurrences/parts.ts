import type { Calendar } from './calendar/calendar';
import type { CalendarGroup } from './calendar/calendar-group';
import type { Interval } from './interval';
import type { ServerGroup } from './server/server-group';
import type { Zone } from './zones/zone';

/**
 * The parts of a spec. The occurrences of a spec are the union of calendars, intervals and instants, minus `skip`. In
 * seconds.
 */
export interface Parts {
  readonly zone: Zone;
  /** All calendars: `own` and those of `server`. */
  readonly calendars: readonly Calendar[];
  /** Calendars that always follow the rule of `dst.ts`. */
  readonly own: CalendarGroup;
  /** Temporal's calendars, in a zone whose clock changes. */
  readonly server: ServerGroup | undefined;
  readonly skip: readonly Calendar[];
  readonly intervals: readonly Interval[];
  /** Sorted, each once. */
  readonly instants: readonly number[];
  /** Inclusive bounds. */
  readonly first: number;
  readonly last: number;
}
