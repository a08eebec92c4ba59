import { InvalidOptionError } from '../../core/errors';
import { SCHEMA_VERSION } from '../../migrations/record';
import { beginRestore, endRestore, type RestoredMonth, writeRows } from '../../store/archive/restore';
import { ARCHIVED, type Archived } from '../../store/archive/rows';
import { alone } from '../../store/archive/turn';
import type { PostgresOptions, Store } from '../../store/connection';
import { checkSchema } from '../../store/meta';
import type { ArchivePlace } from './archive-place';
import { ArchiveBusyError } from './busy';
import { readLines, verify } from './lines';
import { ArchiveDamagedError, type Manifest, readManifests } from './manifest';
import { type PlaceOptions, placeOf } from './place';

export interface RestoreOptions extends PlaceOptions {
  /** The name of the month, such as `2026-01`. */
  month: string;
  /**
   * How long the month stays at least before it is retired again, in milliseconds from the end of the restore. If the
   * month is restored again, the last restore decides.
   */
  keepMilliseconds: number;
  /** @default the database's clock */
  now?: (() => Date) | undefined;
  onProgress: (sentence: string) => void;
}

export interface Restored {
  month: string;
  /**
   * How many firings were written: those that the ledger did not have, without those of erased schedules. `gaps` and
   * `letters` count in the same way.
   */
  firings: number;
  gaps: number;
  letters: number;
  /** The month is not retired again before this time. */
  keptUntil: Date;
}

/**
 * Restore an archived month, so that `explain` and the lists cover it again. Rows that already exist stay as they are,
 * and rows of erased schedules stay out. If a run was killed, run it again. The caller must be the owner of the schema.
 *
 * @throws {InvalidOptionError} for a place that cannot be used, or a month that is not in it or is of another ledger
 * @throws {ArchiveDamagedError} if a manifest or a file cannot be used, or is of a newer schema; nothing was restored
 * @throws {ArchiveBusyError} if another run archives, restores or purges in this ledger
 */
export async function restore(postgres: PostgresOptions, where: string, options: RestoreOptions): Promise<Restored> {
  const place = placeOf(where, options);
  const manifests = await readManifests(place);
  const ofMonth = manifests.filter(({ month }) => month === options.month);
  if (ofMonth.length === 0) {
    const there = manifests.map(({ month }) => month).join(', ') || 'none';
    throw new InvalidOptionError('month', `${place.name} has no archive of ${options.month}; it has ${there}`);
  }
  for (const manifest of ofMonth) checkForm(manifest);
  const restored = await alone(postgres, async (store) => {
    const { installationId } = await checkSchema(store);
    const other = ofMonth.find(({ installation }) => installation !== installationId);
    if (other) throw new InvalidOptionError('place', `${other.name} in ${place.name} is of another ledger`);
    // All files are verified before any row is written, so that a damaged file restores no part of the month.
    for (const { files } of ofMonth) for (const what of ARCHIVED) await verify(place, files[what]);
    return put(store, place, ofMonth, options);
  });
  if (!restored) throw new ArchiveBusyError('archiving, restoring or purging');
  return restored;
}

function checkForm({ name, schemaVersion }: Manifest): void {
  if (schemaVersion <= SCHEMA_VERSION) return;
  throw new ArchiveDamagedError(
    `${name} is of schema version ${schemaVersion}, and this program knows ${SCHEMA_VERSION}; upgrade the escapement package`,
  );
}

async function put(
  store: Store,
  place: ArchivePlace,
  manifests: Manifest[],
  options: RestoreOptions,
): Promise<Restored> {
  const month = monthOf(options.month);
  const write = async (on: Store, what: Archived) => {
    let written = 0;
    // The first row of a key stays, so the newest archive comes first.
    for (const { name, files } of manifests.toReversed()) {
      let read = 0;
      for await (const lines of readLines(place, files[what])) {
        for (let at = 0; at < lines.length; at += ROWS_AT_ONCE) {
          written += await writeRows(on, what, month, lines.slice(at, at + ROWS_AT_ONCE));
        }
        read += lines.length;
        options.onProgress(`${name}: ${read} of ${files[what].rows} ${what}`);
      }
    }
    return written;
  };
  await beginRestore(store, month);
  const firings = await write(store, 'firings');
  // The time counts from the end, since loading a large month may take longer than it is kept.
  const keep = () => ({ milliseconds: options.keepMilliseconds, now: options.now?.() });
  const written = await endRestore(store, month, firings, keep, async (transaction) => ({
    gaps: await write(transaction, 'gaps'),
    letters: await write(transaction, 'letters'),
  }));
  return { month: options.month, ...written };
}

const ROWS_AT_ONCE = 1_000;

function monthOf(name: string): RestoredMonth {
  const [year, month] = name.split('-').map(Number) as [number, number];
  return { month: name, from: new Date(Date.UTC(year, month - 1)), until: new Date(Date.UTC(year, month)) };
}
