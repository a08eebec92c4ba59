import { type RawBuilder, sql } from 'kysely';
import type { ScheduleCondition } from '../../core/alert-defaults';

/** What is read in pages: the rows of a condition, or its rows of a second kind. */
type PageName =
  | ScheduleCondition
  | 'missed_start'
  | 'failing_changed'
  | 'not_done_due'
  | 'not_done_asleep'
  | 'overdue_asleep';

/** For each kind of rows, the key of the last row of the page that was read last, if that page was full. */
export type Places = Partial<Record<PageName, Place>>;
type Place = [string, string];

const TIME = sql`timestamptz`;
const TYPES = {
  scheduled_time: TIME,
  claimed_at: TIME,
  created_at: TIME,
  recorded_at: TIME,
  wake_at: TIME,
  next_fire_at: TIME,
  recovered_at: sql`text`,
  schedule_id: sql`text`,
  letter_id: sql`uuid`,
};
type KeyColumn = keyof typeof TYPES;

/** In the index `firings_recovered`, this instant is a field of a column. */
const columnOf = (column: KeyColumn) =>
  column === 'recovered_at' ? sql`(f.recovery ->> 'recoveredAt')` : sql.ref(`f.${column}`);

export interface Pages {
  /** The rows in the order of an index: a table with the alias `f` and a condition. */
  rows: RawBuilder<unknown>;
  /** Where the first page begins, if not at the first row. Later pages begin behind the former one instead. */
  from?: RawBuilder<unknown>;
  /** The columns of the index's order that identify a row, or rows of one schedule. */
  key: [KeyColumn, KeyColumn];
  /** A column that is null in all rows, if the index has one before its key. */
  nullBefore?: RawBuilder<unknown>;
  atMost: number;
}

export interface Page {
  name: PageName;
  rows: RawBuilder<unknown>;
  /** The key of the last row, if the page is full; null otherwise. */
  end: RawBuilder<Place | null>;
  /** Whether this is the first page. Otherwise it may have only some rows of a schedule. */
  isFirst: boolean;
}

/**
 * The next page of the rows in which a condition is looked for. Each pass reads on where the former one stopped, and
 * after the last row begins again. So rows that stay, and need no alert, hide no rows behind them.
 */
export function nextPage(name: PageName, places: Places, pages: Pages): Page {
  const place = places[name];
  const { columns, ordered } = behind(place, pages);
  const end = sql<Place | null>`(select jsonb_build_array(${columns}) from ${ordered} offset ${pages.atMost - 1} limit 1)`;
  return { name, rows: pageAt(place, pages), end, isFirst: !place };
}

/** Keep where the next pages begin. @param ends the ends of full pages */
export function keepPlaces(places: Places, pages: Page[], ends: Places): void {
  for (const { name } of pages) {
    delete places[name];
    Object.assign(places, ends[name] && { [name]: ends[name] });
  }
}

/** The page behind a place; the first one without a place. */
export function pageAt(place: Place | undefined, pages: Pages): RawBuilder<unknown> {
  return sql`(select f.* from ${behind(place, pages).ordered} limit ${pages.atMost})`;
}

function behind(place: Place | undefined, { rows, from = sql`true`, key, nullBefore }: Pages) {
  const columns = sql.join(key.map(columnOf));
  const isBehind = place
    ? sql`(${columns}) > (${sql.join(key.map((column, index) => sql`${place[index]}::${TYPES[column]}`))})`
    : from;
  return {
    columns,
    ordered: sql`${rows} and ${isBehind} order by ${nullBefore ? sql`${nullBefore}, ${columns}` : columns}`,
  };
}
