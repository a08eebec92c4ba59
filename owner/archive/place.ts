import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidOptionError } from '../../core/errors';
import type { ArchivePlace } from './archive-place';
import { type S3Options, s3Place } from './s3';

export interface PlaceOptions {
  /** The credentials for a place `s3://…`. */
  s3?: S3Options | undefined;
}

/**
 * Opens a place: a folder, by its path or as `file://…`, or a prefix in a bucket, `s3://bucket/prefix`.
 *
 * @throws {InvalidOptionError} for any other URL, or for a bucket with an invalid address or without credentials
 */
export function placeOf(where: string, { s3 = {} }: PlaceOptions = {}): ArchivePlace {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(where) ?? [];
  if (scheme === undefined) return folder(resolve(where));
  if (scheme.toLowerCase() === 'file') return folder(pathOf(where));
  if (scheme.toLowerCase() === 's3') return s3Place(where, s3);
  throw new InvalidOptionError(
    'place',
    `'${scheme}://' is no place for archives; use a folder, file://… or s3://bucket/prefix, and copy a folder to another store`,
  );
}

function pathOf(where: string): string {
  try {
    return fileURLToPath(where);
  } catch (error) {
    throw new InvalidOptionError(
      'place',
      `'${where}' names no folder here; use file:///path (${(error as Error).message})`,
    );
  }
}

export async function readWhole(place: ArchivePlace, file: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of await place.read(file)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function folder(path: string): ArchivePlace {
  return {
    name: path,
    list: async () => {
      const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return names.filter((name) => !name.endsWith(UNFINISHED)).sort();
    },
    write: async (file, content) => {
      await mkdir(path, { recursive: true });
      const unfinished = join(path, `${file}${UNFINISHED}`);
      try {
        await writeTo(unfinished, content, join(path, file));
        await rename(unfinished, join(path, file));
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      // The folder is flushed to disk too, so that the file's name is as durable as its content.
      await flushed(path);
    },
    read: async (file) => {
      // The file is opened first, so that a missing file gives a clear error.
      const handle = await open(join(path, file));
      return createReadStream('', { fd: handle, highWaterMark: 256 * 1024 });
    },
  };
}

const UNFINISHED = '.unfinished';

/** Writes a file and flushes it to disk. @param name the file to name if that fails, since Node's error names none */
async function writeTo(path: string, content: AsyncIterable<Buffer>, name: string): Promise<void> {
  const failed = (error: Error) => {
    throw new Error(`${name} cannot be written: ${error.message}`, { cause: error });
  };
  const handle = await open(path, 'w');
  try {
    for await (const part of content) await handle.writeFile(part).catch(failed);
    await handle.sync().catch(failed);
  } finally {
    await handle.close();
  }
}

async function flushed(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
