import { printHint } from './output';

/** How many rows a list has without `--limit`. */
export const LISTED = 200;
/** The maximum number of rows in one list. */
const LISTED_AT_MOST = 10_000;

/** Shows the first rows of a list, the newest first, and says whether there are more. */
export async function showLimited<Row>(
  limit: number,
  read: (limit: number) => Promise<Row[]>,
  show: (rows: Row[]) => void,
): Promise<void> {
  // One more row is read than is shown, to learn whether there are more.
  const rows = await read(limit < LISTED_AT_MOST ? limit + 1 : limit);
  const shown = rows.slice(0, limit);
  show(shown);
  if (rows.length > shown.length) printHint(`There are more: --limit ${LISTED_AT_MOST}`);
  else if (shown.length === LISTED_AT_MOST) printHint('There may be more, which are older.');
}
