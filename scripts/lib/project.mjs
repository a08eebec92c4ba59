import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Where the scripts keep their locks, marks and reports; never committed. */
export const SCRATCH = join(ROOT, '.cache');

/** Print a progress message on standard error, since standard output is for results. */
export function say(message) {
  process.stderr.write(`${message}\n`);
}

/** A hash that changes when one of the files, or a file in one of the folders, changes. Missing ones are ignored. */
export function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const path of paths) hashInto(hash, path);
  return hash.digest('hex');
}

function hashInto(hash, path) {
  let content;
  try {
    content = readFileSync(join(ROOT, path));
  } catch (error) {
    if (error.code === 'EISDIR')
      for (const name of readdirSync(join(ROOT, path)).sort()) hashInto(hash, join(path, name));
    return;
  }
  hash.update(`${path}\0${content.length}\0`).update(content);
}
