import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDirectoryInUseError } from './errors';
import { processExists, tryLock } from './lock';

export interface HeldDirectory {
  /** Records which process runs a server on the folder, for a later run if this one is killed. */
  runsUnder(processId: number | undefined): Promise<void>;
  release(): Promise<void>;
}

/** The longest wait for the server of a killed run. After that the folder is used anyway. */
const PREDECESSOR_TIMEOUT_MILLISECONDS = 15_000;

/** @throws DataDirectoryInUseError if another run uses the folder */
export async function holdDataDirectory(folder: string): Promise<HeldDirectory> {
  await mkdir(folder, { recursive: true });
  const held = await tryLock(join(folder, 'in-use.lock'));
  if ('heldBy' in held) throw new DataDirectoryInUseError(folder, held.heldBy);
  const note = join(folder, 'server.pid');
  const predecessor = Number(await readFile(note, 'utf8').catch(() => ''));
  const deadline = Date.now() + PREDECESSOR_TIMEOUT_MILLISECONDS;
  while (predecessor > 0 && processExists(predecessor) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    runsUnder: async (processId) => {
      if (processId !== undefined) await writeFile(note, String(processId));
    },
    async release() {
      await rm(note, { force: true });
      await held.release();
    },
  };
}
