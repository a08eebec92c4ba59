import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { lock, processExists } from './lock';

export interface CacheEntry {
  /** `<tool>-<version>`: another version is another folder. */
  name: string;
  /** The file that proves the entry is there, relative to its folder. */
  file: string;
  /** Fills an empty folder. It may fail or be killed at any moment; only a complete folder gets the entry's name. */
  build(directory: string): Promise<void>;
  /** Throws when what was built does not work. Called before the entry is published. */
  check(directory: string): Promise<void>;
}

/** The folder for what Escapement downloads and builds: the user's cache folder, as the operating system has it. */
export function cacheDirectory(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'escapement');
  if (process.platform === 'win32') return join(LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'escapement');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'escapement');
  return join(homedir(), '.cache', 'escapement');
}

/** The path of the entry's file if an earlier run completed it. */
export async function cached(entry: Pick<CacheEntry, 'name' | 'file'>, root = cacheDirectory()) {
  const path = join(root, entry.name, entry.file);
  return access(path).then(
    () => path,
    () => undefined,
  );
}

/**
 * The path of the entry's file, built first if it is not there yet. Two runs side by side build once; a failed or
 * killed build leaves nothing that a later run could mistake for a result.
 *
 * @throws whatever `build` or `check` throws
 */
export async function cachedOrBuilt(
  entry: CacheEntry,
  onProgress: (message: string) => void,
  root = cacheDirectory(),
): Promise<string> {
  const found = await cached(entry, root);
  if (found !== undefined) return found;
  await mkdir(root, { recursive: true });
  const held = await lock(join(root, `${entry.name}.lock`), (heldBy) =>
    onProgress(`waiting for process ${heldBy}, which is already getting ${entry.name}`),
  );
  try {
    const builtMeanwhile = await cached(entry, root);
    if (builtMeanwhile !== undefined) return builtMeanwhile;
    await removeLeftovers(entry.name, root);
    const staging = join(root, `${entry.name}.building-${process.pid}-${randomUUID()}`);
    try {
      await mkdir(staging, { mode: 0o755 });
      await entry.build(staging);
      await entry.check(staging);
      const target = join(root, entry.name);
      // What lies there has no such file, so it was damaged by hand or by a cleaner of old files.
      await rm(target, { recursive: true, force: true });
      await rename(staging, target);
      return join(target, entry.file);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  } finally {
    await held.release();
  }
}

/** Removes what killed builds of this entry left behind. */
async function removeLeftovers(name: string, root: string): Promise<void> {
  const prefix = `${name}.building-`;
  for (const leftover of await readdir(root)) {
    if (!leftover.startsWith(prefix)) continue;
    if (processExists(Number.parseInt(leftover.slice(prefix.length), 10))) continue;
    await rm(join(root, leftover), { recursive: true, force: true });
  }
}
