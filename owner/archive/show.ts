import { ARCHIVED, type Archived } from '../../store/archive/rows';
import { readLines } from './lines';
import { type Manifest, readManifests } from './manifest';
import { type PlaceOptions, placeOf } from './place';

export interface ShowFilter {
  scheduleId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** A row as it was in the ledger: columns by name, times in ISO 8601. */
export interface ShownRow {
  name: string;
  what: Archived;
  row: Record<string, unknown> & { schedule_id: string };
}

export async function listArchives(where: string, options: PlaceOptions = {}): Promise<Manifest[]> {
  return readManifests(placeOf(where, options));
}

/**
 * Yields the selected rows of archives, one by one: firings, gaps and letters of each archive in turn.
 *
 * @throws {ArchiveDamagedError} if a manifest is damaged or of a newer version, or a file cannot be read or does not match
 * its manifest. Some rows of that file may have been yielded before.
 */
export async function* showArchive(
  where: string,
  filter: ShowFilter,
  options: PlaceOptions = {},
): AsyncGenerator<ShownRow> {
  const place = placeOf(where, options);
  // This check of the text is cheaper than parsing each line.
  const named = filter.scheduleId === undefined ? undefined : JSON.stringify(filter.scheduleId);
  for (const { name, files } of await readManifests(place)) {
    for (const what of ARCHIVED) {
      for await (const lines of readLines(place, files[what])) {
        for (const line of lines) {
          if (named !== undefined && !line.includes(named)) continue;
          const row = JSON.parse(line) as ShownRow['row'];
          if (isWanted(row, filter)) yield { name, what, row };
        }
      }
    }
  }
}

function isWanted(row: ShownRow['row'], { scheduleId, from, to }: ShowFilter): boolean {
  const [first, last] = [new Date(timeOf(row)), new Date(String(row.to_time ?? timeOf(row)))];
  return (
    (scheduleId === undefined || row.schedule_id === scheduleId) &&
    (from === undefined || last >= from) &&
    (to === undefined || first < to)
  );
}

/** The nominal time of a row; for a gap, that of its first occurrence. */
export function timeOf(row: ShownRow['row']): string {
  return String(row.scheduled_time ?? row.from_time);
}
