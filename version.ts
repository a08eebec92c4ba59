import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Version of this package, from the nearest `package.json` above this file; `unknown` if none can be read. */
export const version: string = readVersion(__dirname);

function readVersion(directory: string): string {
  try {
    return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).version;
  } catch {
    const parent = dirname(directory);
    return parent === directory ? 'unknown' : readVersion(parent);
  }
}
