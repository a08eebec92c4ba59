import { mkdir, stat } from 'node:fs/promises';
import { ProvisionError } from './errors';
import { lastLine, run } from './run';

/** The account under which Postgres runs if this process is root, since Postgres refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

const NAME = 'postgres';

/** @returns undefined if this process is not root: Postgres then runs under the same account */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const existing = await lookUp();
  if (existing) return existing;
  const attempts = [
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', NAME]),
    // `useradd` or another run may have created the account by now.
    (await lookUp()) ? undefined : await run('adduser', ['-S', '-D', '-H', '-s', '/bin/false', NAME]),
  ];
  const created = await lookUp();
  if (created) return created;
  throw new ProvisionError(
    `Postgres does not run as root and the user "${NAME}" could not be created ` +
      `(${attempts.map((attempt) => lastLine(attempt?.output ?? '')).join('; ')}): create it, run as another user, or set DATABASE_URL.`,
  );
}

async function lookUp(): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
  if (uid.code !== 0 || gid.code !== 0) return undefined;
  return { uid: Number(uid.output), gid: Number(gid.output) };
}

/** Whether the account may read and enter a folder, as the operating system decides. */
export async function mayEnter(account: Account, directory: string): Promise<boolean> {
  const { code } = await run('sh', ['-c', 'cd "$1" && test -r .', 'sh', directory], { ...account, cwd: '/' });
  return code === 0;
}

/**
 * The first of these folders that the account may enter; the folder is created if it is missing. A folder of mode 0700,
 * such as a home folder, is not suitable. A folder that others may write to is suitable only with the sticky bit.
 */
export async function firstEnterable(account: Account, candidates: readonly string[]): Promise<string> {
  for (const candidate of candidates) {
    try {
      await mkdir(candidate, { recursive: true, mode: 0o755 });
      const found = await stat(candidate);
      const onlyRootWrites = found.uid === 0 && (found.mode & 0o022) === 0;
      const isSticky = (found.mode & 0o1000) !== 0;
      if ((onlyRootWrites || isSticky) && (await mayEnter(account, candidate))) return candidate;
    } catch {
      // The folder cannot be created, for example on a read-only file system, so the next one is tried.
    }
  }
  throw new ProvisionError(
    `The user "${NAME}" may enter none of ${candidates.join(', ')}: make one of them readable for everyone, or set DATABASE_URL.`,
  );
}
