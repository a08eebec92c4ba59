import type { Calendar } from './calendar/calendar';
import type { CalendarGroup } from './calendar/calendar-group';
import type { Interval } from './interval';
import type { ServerGroup } from './server/server-group';
import type { Zone } from './zones/zone';

/**
 * The parts of a spec, with all times in seconds. Without `skipDays` and `onlyDays`, the occurrences are the union of
 * its calendars, intervals and instants, minus `skip`, from `first` to `last`.
 */
export interface Parts {
  readonly zone: Zone;
  /** All calendars: `own` and those of `server`. */
  readonly calendars: readonly Calendar[];
  /** Calendars that always follow the rules of `dst.ts`. */
  readonly own: CalendarGroup;
  /** Calendars that follow Temporal's rules, in a zone whose clock changes. */
  readonly server: ServerGroup | undefined;
  readonly skip: readonly Calendar[];
  readonly intervals: readonly Interval[];
  /** The single instants, sorted, each once. */
  readonly instants: readonly number[];
  /** The first and the last second that may have an occurrence. */
  readonly first: number;
  readonly last: number;
}
