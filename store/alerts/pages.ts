import { type RawBuilder, sql } from 'kysely';
import type { ScheduleCondition } from '../../core/alert-defaults';

/** What is read in pages: the rows of a condition, or rows of a second kind that the same condition needs. */
type PageName =
  | ScheduleCondition
  | 'missed_start'
  | 'failing_changed'
  | 'not_done_due'
  | 'not_done_asleep'
  | 'overdue_asleep';

/** For each kind of rows, the key of the last row that was read, if the last page was full. */
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

/** `recovered_at` is not a column: the index `firings_recovered` contains this field of `f.recovery`. */
const columnOf = (column: KeyColumn) =>
  column === 'recovered_at' ? sql`(f.recovery ->> 'recoveredAt')` : sql.ref(`f.${column}`);

export interface Pages {
  /** A table with the alias `f`, and a condition. Its rows are read in the order of an index, which `key` names. */
  rows: RawBuilder<unknown>;
  /**
   * The condition for rows of the first page, if the page does not begin at the first row. A later page begins after
   * the last row of the page before it.
   */
  from?: RawBuilder<unknown>;
  /** The columns by which the index sorts the rows. They identify one row, or some rows of one schedule. */
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
  /** Whether this is the first page. A later page may lack rows of a schedule that an earlier page had. */
  isFirst: boolean;
}

/**
 * The next page of the rows in which a condition is looked for. Each pass continues where the former one stopped, and
 * begins again after the last row. So rows that stay and need no alert do not keep later rows from being read.
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

/** The page after a place; the first page if there is no place. */
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
