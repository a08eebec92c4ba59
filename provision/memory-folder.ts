import { access, constants, statfs } from 'node:fs/promises';

const SHARED_MEMORY = '/dev/shm';
/** The type number that Linux gives to file systems in memory. */
const TMPFS = 0x01021994;
/** The space that must be free. Postgres by default keeps up to about 1 GB of write-ahead log. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * A folder in memory, if this system has a writable one with enough space. Tests that create and remove many databases
 * are faster there: a database with the ledger has hundreds of files.
 */
export async function memoryFolder(): Promise<string | undefined> {
  try {
    const { type, bavail, bsize } = await statfs(SHARED_MEMORY);
    if (type !== TMPFS || bavail * bsize < ROOM_BYTES) return undefined;
    await access(SHARED_MEMORY, constants.W_OK | constants.X_OK);
    return SHARED_MEMORY;
  } catch {
    return undefined;
  }
}
