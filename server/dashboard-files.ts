import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

export interface DashboardFile {
  type: string;
  body: Buffer;
  etag: string;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The folders with the files: beside this module in the package, or the last build if the server runs from source. */
const FOLDERS = [join(__dirname, 'dashboard'), join(__dirname, '../dist/server/dashboard')];

/** The dashboard's files by name; empty if it was not built. */
export function readDashboard(): Map<string, DashboardFile> {
  const folder = FOLDERS.find((one) => existsSync(join(one, 'app.js')));
  const files = folder ? readdirSync(folder).filter((name) => extname(name) in TYPES) : [];
  return new Map(
    files.map((name) => {
      const body = readFileSync(join(folder!, name));
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      return [name, { type: TYPES[extname(name)]!, body, etag }];
    }),
  );
}
