import type { Calendar } from './calendar/calendar';
import type { CalendarGroup } from './calendar/calendar-group';
import type { Interval } from './interval';
import type { ServerGroup } from './server/server-group';
import type { Zone } from './zones/zone';

/** A spec taken apart: what occurs is the union of calendars, intervals and instants, minus `skip`. Seconds. */
export interface Parts {
  readonly zone: Zone;
  /** All of them: `own` and those of `server`. */
  readonly calendars: readonly Calendar[];
  /** Those that follow the rule of `dst.ts` everywhere. */
  readonly own: CalendarGroup;
  /** Temporal's, where the zone's clock changes. */
  readonly server: ServerGroup | undefined;
  readonly skip: readonly Calendar[];
  readonly intervals: readonly Interval[];
  /** Sorted, each once. */
  readonly instants: readonly number[];
  /** Inclusive bounds. */
  readonly first: number;
  readonly last: number;
}
