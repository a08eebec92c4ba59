import { z } from 'zod';
import type { Archived } from '../../store/archive/rows';
import type { ArchivePlace } from './archive-place';
import { readWhole } from './place';

const FORMAT = 1;

const file = z.object({
  file: z.string(),
  rows: z.int().min(0),
  /** The size of the compressed file. */
  bytes: z.int().min(0),
  /** The SHA-256 of the compressed file, in hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifest = z.object({
  format: z.literal(FORMAT),
  /** The name of the archive: `2026-01`, or `2026-01-2` if the month was archived a second time. */
  name: z.string(),
  month: z.string().regex(/^\d{4,}-\d\d$/),
  /** The UUID of the ledger to which the month belongs. */
  installation: z.string(),
  schemaVersion: z.int(),
  /** OID of the archived table, by which a later run recognises the table. */
  tableOid: z.int(),
  archivedAt: z.iso.datetime(),
  files: z.object({ firings: file, gaps: file, letters: file }) satisfies z.ZodType<Record<Archived, unknown>>,
});

/** Describes the archive of a month. It is stored as a file beside the archive's other files. */
export type Manifest = z.infer<typeof manifest>;
export type ArchivedFile = z.infer<typeof file>;

/** A file of an archive cannot be read, is damaged, or is of a newer version. */
export class ArchiveDamagedError extends Error {
  override readonly name = 'ArchiveDamagedError';
}

export function newManifest(fields: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...fields };
}

export function manifestFile(name: string): string {
  return `${name}.json`;
}

/** The oldest month comes first. A manifest is written last, so a month that has one is complete. */
export async function readManifests(place: ArchivePlace): Promise<Manifest[]> {
  const files = (await place.list()).filter((name) => /^\d{4,}-\d\d(-\d+)?\.json$/.test(name));
  const manifests: Manifest[] = [];
  for (const name of files) manifests.push(await readManifest(place, name));
  return manifests.sort((one, other) =>
    one.month === other.month ? turnOf(one) - turnOf(other) : one.month < other.month ? -1 : 1,
  );
}

async function readManifest(place: ArchivePlace, name: string): Promise<Manifest> {
  try {
    return manifest.parse(JSON.parse(await readWhole(place, name)));
  } catch (error) {
    if (!(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
    const why = error instanceof z.ZodError ? z.prettifyError(error) : error.message;
    throw new ArchiveDamagedError(`${place.name}: ${name} is no manifest of this version: ${why}`);
  }
}

function turnOf({ name }: Manifest): number {
  return Number(/^\d+-\d\d-(\d+)$/.exec(name)?.[1] ?? 1);
}

/**
 * The name of a month's next archive. Its number is higher than that of each archive of the month, although lower
 * numbers may be free again.
 */
export function nextName(month: string, manifests: Manifest[]): string {
  const turns = manifests.filter((one) => one.month === month).map(turnOf);
  const turn = Math.max(0, ...turns) + 1;
  return turn === 1 ? month : `${month}-${turn}`;
}
