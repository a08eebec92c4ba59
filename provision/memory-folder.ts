import { access, constants, statfs } from 'node:fs/promises';

const SHARED_MEMORY = '/dev/shm';
/** What Linux calls a file system in memory. */
const TMPFS = 0x01021994;
/** Tests and the demo need some 300 MB; Postgres keeps up to 1 GB of its log. A container's 64 MB would not do. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * A folder in memory, if this system has one with room that we may write. A database has some 350 files. To make and
 * remove one for each test costs ext4 four times as much, since it walks over all inodes that were removed just now and
 * reuses none.
 */
export async function memoryFolder(): Promise<string | undefined> {
  try {
    const { type, bavail, bsize } = await statfs(SHARED_MEMORY);
    if (type !== TMPFS || bavail * bsize < ROOM_BYTES) return undefined;
    await access(SHARED_MEMORY, constants.W_OK | constants.X_OK);
    return SHARED_MEMORY;
  } catch {
    // Not on this system.
    return undefined;
  }
}
