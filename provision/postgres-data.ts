import { createHash, randomBytes } from 'node:crypto';
import { access, chown, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeldDirectory, holdDataDirectory } from './data-directory';
import { DataDirectoryInUseError, ProvisionError } from './errors';
import { processExists } from './lock';
import { memoryFolder } from './memory-folder';
import { portAnswers } from './ports';
import { type Account, firstEnterable, mayEnter } from './postgres-account';
import type { PostgresBinaries } from './postgres-binaries';
import { lastLine, run } from './run';

export interface PostgresData extends HeldDirectory {
  /** The path of an initialised data directory of Postgres. */
  directory: string;
  logFile: string;
  password: string;
  /** Folders that are removed after a stop, or after this process is gone. */
  removeAfter: readonly string[];
}

/** The directory is in memory if there is space, unless it must be durable. */
export async function temporaryData(
  binaries: PostgresBinaries,
  account: Account | undefined,
  durable = false,
): Promise<PostgresData> {
  const memory = durable ? undefined : await memoryFolder();
  const folders = [...(memory ? [memory] : []), tmpdir(), '/var/tmp', '/tmp'] as const;
  const base = account === undefined ? folders[0] : await firstEnterable(account, folders);
  const folder = await mkdtemp(join(base, 'escapement-postgres-'));
  if (account) await chown(folder, account.uid, account.gid);
  const password = randomBytes(16).toString('hex');
  const directory = join(folder, 'data');
  const release = () => rm(folder, { recursive: true, force: true });
  try {
    await initialise(binaries, account, folder, directory, password, ['--no-sync']);
  } catch (error) {
    await release();
    throw error;
  }
  const logFile = join(folder, 'postgres.log');
  return { directory, logFile, password, removeAfter: [folder], runsUnder: async () => {}, release };
}

/** @throws DataDirectoryInUseError when another run or a server uses the directory in `folder` */
export async function persistentData(
  binaries: PostgresBinaries,
  account: Account | undefined,
  folder: string,
  onProgress: (message: string) => void,
): Promise<PostgresData> {
  const held = await holdDataDirectory(folder);
  try {
    const passwordFile = join(folder, 'password');
    const directory = join(folder, 'data');
    if (!(await exists(directory))) {
      const password = randomBytes(16).toString('hex');
      await writeFile(passwordFile, password, { mode: 0o600 });
      const home = await writableHome(folder, account, onProgress);
      await initialise(binaries, account, home, join(home, 'data'), password, []);
      if (home !== folder) {
        // The path may be a link to data that was removed.
        await rm(directory, { force: true });
        await symlink(join(home, 'data'), directory);
      }
    }
    await clearStaleServer(await realpath(directory), folder);
    return {
      directory: await realpath(directory),
      logFile: join(folder, 'postgres.log'),
      password: await readFile(passwordFile, 'utf8'),
      removeAfter: [],
      ...held,
    };
  } catch (error) {
    await held.release();
    throw error;
  }
}

/** The result of initdb is renamed at the end, so that a killed run leaves no incomplete data directory. */
async function initialise(
  binaries: PostgresBinaries,
  account: Account | undefined,
  folder: string,
  directory: string,
  password: string,
  extra: readonly string[],
): Promise<void> {
  const draft = join(folder, 'data.initialising');
  const passwordFile = join(folder, 'initial-password');
  await rm(draft, { recursive: true, force: true });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const args = ['-D', draft, '--username=postgres', '--encoding=UTF8', '--no-locale', `--pwfile=${passwordFile}`];
  const { code, output } = await run(binaries.initdb, [...args, '--auth=scram-sha-256', ...extra], {
    ...account,
    cwd: folder,
    environment: { LC_ALL: 'C' },
  });
  await rm(passwordFile);
  if (code !== 0) throw new ProvisionError(`initdb failed in ${folder}: ${lastLine(output)}; or set DATABASE_URL.`);
  await rename(draft, directory);
}

/**
 * The given folder, unless this process is root and the account for Postgres may not enter the folder. Then it is a
 * folder under /var/lib, to which the given folder links.
 */
async function writableHome(folder: string, account: Account | undefined, onProgress: (message: string) => void) {
  if (account === undefined) return folder;
  if (await mayEnter(account, folder)) {
    // initdb creates its folder itself, under that account, which must therefore own the folder around it.
    await chown(folder, account.uid, account.gid);
    return folder;
  }
  const parent = await firstEnterable(account, ['/var/lib/escapement']);
  const home = join(
    parent,
    createHash('sha256')
      .update(await realpath(folder))
      .digest('hex')
      .slice(0, 16),
  );
  await mkdir(home, { recursive: true });
  await rm(join(home, 'data'), { recursive: true, force: true });
  await chown(home, account.uid, account.gid);
  onProgress(`Postgres: its user may not enter ${folder}, which therefore links to ${home}`);
  return home;
}

/**
 * Removes the file postmaster.pid of a server that is gone. Postgres refuses to start if another process now has the ID
 * in postmaster.pid. This run holds the lock on the folder, so no other run is starting a server there.
 *
 * @throws DataDirectoryInUseError if a server still answers there
 */
async function clearStaleServer(directory: string, folder: string): Promise<void> {
  const file = join(directory, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const processId = Number(lines[0]);
  if (processId && processExists(processId) && (await portAnswers(Number(lines[3])))) {
    throw new DataDirectoryInUseError(folder, processId);
  }
  await rm(file, { force: true });
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
