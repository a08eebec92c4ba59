import { InvalidOptionError } from '../../core/errors';
import { SCHEMA_VERSION } from '../../migrations/record';
import {
  type ArchiveRow,
  countRetired,
  dropRetired,
  type RetiredMonth,
  readArchives,
  readRetiredMonths,
  recordArchive,
} from '../../store/archive/months';
import { forgetRestored, readUnarchived } from '../../store/archive/restored';
import { ARCHIVED, type ArchivedBefore, readRows } from '../../store/archive/rows';
import { alone } from '../../store/archive/turn';
import type { PostgresOptions, Store } from '../../store/connection';
import { checkSchema } from '../../store/meta';
import { readSettings } from '../../store/settings';
import type { ArchivePlace } from './archive-place';
import { ArchiveBusyError } from './busy';
import { verify, writeLines } from './lines';
import { type Manifest, manifestFile, newManifest, nextName, readManifests } from './manifest';
import { type PlaceOptions, placeOf } from './place';
import { type HeldMonth, retirePast } from './retire-past';

export interface ArchiveOptions extends PlaceOptions {
  /** Whether to drop each month from the database after its files were verified. */
  drop?: boolean | undefined;
  /** @default the database's clock */
  now?: (() => Date) | undefined;
  onProgress: (sentence: string) => void;
}

export interface ArchivedMonth {
  name: string;
  firings: number;
  gaps: number;
  letters: number;
  /** The size of the month's compressed files. */
  bytes: number;
  /** Whether this run wrote the month, rather than an earlier one. */
  written: boolean;
  dropped: boolean;
}

/**
 * Writes the retired months that a place lacks, verifies the files of each, and drops its table if requested. With the
 * setting `archiveFirst`, months past retention are retired first. If a run was killed, run it again: a month is
 * complete once its manifest exists. The caller must be the owner of the schema.
 *
 * @throws {ArchiveBusyError} if another run archives, restores or purges in this ledger
 * @throws {ArchiveDamagedError} if a manifest is damaged or of a newer version, or a file cannot be read or does not match
 * its manifest; the month stays in the database
 * @throws {InvalidOptionError} for a place that cannot be used, or that has archives of another ledger
 */
export async function archive(
  postgres: PostgresOptions,
  where: string,
  options: ArchiveOptions,
): Promise<{ months: ArchivedMonth[]; held: HeldMonth | undefined }> {
  const place = placeOf(where, options);
  const result = await alone(postgres, async (store, databaseNow) => {
    const { installationId } = await checkSchema(store);
    const manifests = await readManifests(place);
    const other = manifests.find(({ installation }) => installation !== installationId);
    if (other) {
      throw new InvalidOptionError(
        'place',
        `${place.name} has archives of another ledger, such as ${other.name}; use another place`,
      );
    }
    const { archiveFirst, retentionMilliseconds } = await readSettings(store);
    const now = options.now?.() ?? databaseNow;
    const held = archiveFirst
      ? await retirePast(store, { endedBefore: now.getTime() - retentionMilliseconds, now })
      : undefined;
    const months: ArchivedMonth[] = [];
    const restored = await readUnarchived(store);
    const again = new Set(restored.map(({ month }) => month));
    for (const month of await readRetiredMonths(store)) {
      months.push(await archiveMonth({ store, place, manifests, again, installationId, options, now }, month));
    }
    // A month that a trigger has retired since the first read may be missing above. The next run forgets it.
    const retired = restored.filter(({ isRetired }) => isRetired);
    await forgetRestored(
      store,
      retired.map(({ month }) => month),
    );
    return { months, held };
  });
  if (!result) throw new ArchiveBusyError('archiving, restoring or purging');
  return result;
}

interface Run {
  store: Store;
  place: ArchivePlace;
  /** The manifests of the archives in this place; each month that is written adds one. */
  manifests: Manifest[];
  /** The names of restored months that are not archived again yet. */
  again: Set<string>;
  installationId: string;
  options: ArchiveOptions;
  now: Date;
}

async function archiveMonth(run: Run, month: RetiredMonth): Promise<ArchivedMonth> {
  const { store, place, manifests, options } = run;
  const total = await countRetired(store, month);
  const known = manifests.find(
    (one) => one.tableOid === month.tableOid && one.month === monthName(month) && one.files.firings.rows === total,
  );
  const manifest = known ?? (await writeMonth(run, month, total));
  // Files that an earlier run has written are verified too, since they may have been damaged in the meantime.
  for (const what of ARCHIVED) await verify(place, manifest.files[what]);
  const { firings, gaps, letters } = manifest.files;
  await recordArchive(store, {
    place: place.name,
    name: manifest.name,
    month,
    tableOid: month.tableOid,
    firings: firings.rows,
    gaps: gaps.rows,
    letters: letters.rows,
    // An earlier run may have written the files and died before this point. Rows that were recorded since are not in
    // these files, so the time of the files counts.
    now: new Date(manifest.archivedAt),
  });
  const dropped = options.drop === true;
  if (dropped) await drop(run, month, firings.rows);
  return {
    name: manifest.name,
    firings: firings.rows,
    gaps: gaps.rows,
    letters: letters.rows,
    bytes: firings.bytes + gaps.bytes + letters.bytes,
    written: known === undefined,
    dropped,
  };
}

async function writeMonth(run: Run, month: RetiredMonth, total: number): Promise<Manifest> {
  const { store, place, manifests, again, installationId, options, now } = run;
  const name = nextName(monthName(month), manifests);
  // The former archive of a restored month may be deleted once the month is archived again. So all rows of the month
  // are written, and the gaps and letters of all earlier months, even those that former archives contain.
  const before = again.has(monthName(month)) ? undefined : archivedBefore(await readArchives(store));
  const write = (what: (typeof ARCHIVED)[number]) =>
    writeLines(place, `${name}.${what}.ndjson.gz`, readRows(store, what, month, before), (rows) => {
      if (what === 'firings') options.onProgress(`${name}: ${rows} of ${total} firings`);
    });
  const files = { firings: await write('firings'), gaps: await write('gaps'), letters: await write('letters') };
  if (files.firings.rows !== total) {
    throw new Error(
      `${name}: its table had ${total} firings and ${files.firings.rows} were read; somebody is changing it`,
    );
  }
  const manifest = newManifest({
    name,
    month: monthName(month),
    installation: installationId,
    schemaVersion: SCHEMA_VERSION,
    tableOid: month.tableOid,
    archivedAt: now.toISOString(),
    files,
  });
  await place.write(manifestFile(name), text(`${JSON.stringify(manifest, undefined, 2)}\n`));
  manifests.push(manifest);
  return manifest;
}

async function drop({ store, now }: Run, month: RetiredMonth, firings: number): Promise<void> {
  if (await dropRetired(store, month, { firings, now })) return;
  throw new Error(`${month.table} does not have the ${firings} firings that were archived; it was not dropped`);
}

/**
 * The last archive of the latest month. An archive of an earlier month may be newer, but has no rows of the latest
 * month.
 */
function archivedBefore(archives: ArchiveRow[]): ArchivedBefore | undefined {
  const ends = archives.map(({ month }) => Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
  const until = Math.max(...ends);
  const last = archives.at(ends.lastIndexOf(until));
  return last && { until: new Date(until), archivedAt: last.archivedAt };
}

function monthName({ from }: RetiredMonth): string {
  return from.toISOString().slice(0, 7);
}

async function* text(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}
