import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { lock, processExists } from './lock';

export interface CacheEntry {
  /** The name of the entry, `<tool>-<version>`, so that each version has its own folder. */
  name: string;
  /** A file that every complete entry contains, relative to the entry's folder. */
  file: string;
  /**
   * A function that fills an empty folder. The function may fail or be killed at any moment, since only a complete
   * folder is renamed to the entry's name.
   */
  build(directory: string): Promise<void>;
  /** Throws if the built entry does not work. The method is called before the entry gets its final name. */
  check(directory: string): Promise<void>;
}

export function cacheDirectory(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'escapement');
  if (process.platform === 'win32') return join(LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'escapement');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'escapement');
  return join(homedir(), '.cache', 'escapement');
}

/** The path of the entry's file, if an earlier run completed the entry. */
export async function cached(entry: Pick<CacheEntry, 'name' | 'file'>, root = cacheDirectory()) {
  const path = join(root, entry.name, entry.file);
  return access(path).then(
    () => path,
    () => undefined,
  );
}

/**
 * Parallel runs do not build an entry at the same time. A build that failed or was killed leaves nothing that looks
 * complete.
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
      // If the folder exists, it lacks the entry's file, so it is replaced.
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

async function removeLeftovers(name: string, root: string): Promise<void> {
  const prefix = `${name}.building-`;
  for (const leftover of await readdir(root)) {
    if (!leftover.startsWith(prefix)) continue;
    if (processExists(Number.parseInt(leftover.slice(prefix.length), 10))) continue;
    await rm(join(root, leftover), { recursive: true, force: true });
  }
}
