import { pathToFileURL } from 'node:url';
import { ensureInstalledIn } from './lib/install.mjs';

/** Installs the dependencies that package-lock.json names, unless they are there already. */
export async function ensureInstalled() {
  await ensureInstalledIn('.');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await ensureInstalled();
