import { type RawBuilder, sql } from 'kysely';
import type { ScheduleCondition } from '../../core/alert-defaults';
import type { Store } from '../connection';

/** For each condition, the key of the last row of the page that the former pass read, if more rows follow. */
export type Places = Partial<Record<ScheduleCondition, Place>>;
type Place = [string, string];

const TYPES = {
  scheduled_time: sql`timestamptz`,
  claimed_at: sql`timestamptz`,
  schedule_id: sql`text`,
  created_at: sql`timestamptz`,
  letter_id: sql`uuid`,
};
type KeyColumn = keyof typeof TYPES;

export interface Pages {
  /** The rows in the order of an index: a table with the alias `f` and a condition. */
  rows: RawBuilder<unknown>;
  /** Where the first page begins, if that is not the first row. Later pages go on behind the former one, however old. */
  from?: RawBuilder<unknown>;
  /** The columns of the index's order that identify a row, or rows of one schedule. */
  key: [KeyColumn, KeyColumn];
  /** A column that is null in all rows, if the index has one before its key. */
  nullBefore?: RawBuilder<unknown>;
  /** The most rows of a page. */
  atMost: number;
}

/**
 * The next page of the rows in which a condition is looked for. Each pass reads on where the former one stopped, and
 * after the last row begins again. So rows that stay, and need no alert, hide none behind them.
 *
 * @param places gets the end of this page
 */
export async function nextPage(
  store: Store,
  condition: ScheduleCondition,
  places: Places,
  pages: Pages,
): Promise<RawBuilder<unknown>> {
  const { columns, ordered } = behind(places[condition], pages);
  const { rows: ends } = await sql<{ place: [string, string] }>`select jsonb_build_array(${columns}) as place
    from ${ordered} offset ${pages.atMost - 1} limit 1`.execute(store.db);
  const page = pageAt(places[condition], pages);
  if (ends[0]) places[condition] = ends[0].place;
  else delete places[condition];
  return page;
}

/** The page behind a place; the first one without a place. */
export function pageAt(place: Place | undefined, pages: Pages): RawBuilder<unknown> {
  return sql`(select f.* from ${behind(place, pages).ordered} limit ${pages.atMost})`;
}

function behind(place: Place | undefined, { rows, from = sql`true`, key, nullBefore }: Pages) {
  const columns = sql.join(key.map((column) => sql.ref(`f.${column}`)));
  const isBehind = place
    ? sql`(${columns}) > (${sql.join(key.map((column, index) => sql`${place[index]}::${TYPES[column]}`))})`
    : from;
  return {
    columns,
    ordered: sql`${rows} and ${isBehind} order by ${nullBefore ? sql`${nullBefore}, ${columns}` : columns}`,
  };
}
