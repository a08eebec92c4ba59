import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { constants, createGunzip, createGzip } from 'node:zlib';
import type { ArchivePlace } from './archive-place';
import { ArchiveDamagedError, type ArchivedFile } from './manifest';

const LINE_FEED = 0x0a;

/** The maximum size in bytes of the parts that zlib yields. */
const PART = 32 * 1024;

/** Writes lines into one compressed file, without holding the whole file in memory. */
export async function writeLines(
  place: ArchivePlace,
  file: string,
  pages: AsyncIterable<string[]>,
  onRows: (rows: number) => void,
): Promise<ArchivedFile> {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  async function* text() {
    for await (const lines of pages) {
      rows += lines.length;
      onRows(rows);
      yield `${lines.join('\n')}\n`;
    }
  }
  async function* compressed() {
    const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: PART });
    const source = Readable.from(text(), { highWaterMark: 1 }).on('error', (error) => gzip.destroy(error));
    for await (const part of source.pipe(gzip) as AsyncIterable<Buffer>) {
      hash.update(part);
      bytes += part.length;
      yield part;
    }
  }
  await place.write(file, compressed());
  return { file, rows, bytes, sha256: hash.digest('hex') };
}

/**
 * Reads the lines of a file, in batches. The iteration completes only if the whole file matches its manifest.
 *
 * @throws {ArchiveDamagedError} at the end or earlier, if the file cannot be read or does not match
 */
export async function* readLines(place: ArchivePlace, expected: ArchivedFile): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const part of contentOf(place, expected)) {
    const lines = (rest + decoder.write(part)).split('\n');
    rest = lines.pop()!;
    if (lines.length > 0) yield lines;
  }
}

/** @throws {ArchiveDamagedError} if the file cannot be read, or differs from its manifest */
export async function verify(place: ArchivePlace, expected: ArchivedFile): Promise<void> {
  for await (const _ of contentOf(place, expected));
}

async function* contentOf(place: ArchivePlace, expected: ArchivedFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let [rows, bytes] = [0, 0];
  async function* parts() {
    for await (const part of await place.read(expected.file)) {
      hash.update(part);
      bytes += part.length;
      yield part;
    }
  }
  try {
    const gunzip = createGunzip({ chunkSize: PART });
    const source = Readable.from(parts()).on('error', (error) => gunzip.destroy(error));
    for await (const part of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) rows++;
      yield part;
    }
  } catch (error) {
    throw new ArchiveDamagedError(`${place.name}: ${expected.file} cannot be read: ${(error as Error).message}`);
  }
  const sha256 = hash.digest('hex');
  if (sha256 === expected.sha256 && rows === expected.rows && bytes === expected.bytes) return;
  throw new ArchiveDamagedError(
    `${place.name}: ${expected.file} is not what its manifest says: it has ${rows} rows in ${bytes} bytes with SHA-256 ${sha256}, and should have ${expected.rows} in ${expected.bytes} with ${expected.sha256}`,
  );
}
