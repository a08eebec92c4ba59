import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PROJECT = join(__dirname, '..', '..');

/**
 * These files change while scenes and chaos runs are measured one after the other; they are not part of the measured
 * code.
 */
const WRITTEN = ['bench/results', 'bench/README.md', 'chaos/results', 'docs/reliability.md'];
const MEASURED = ['--', '.', ...WRITTEN.map((path) => `:!${path}`)];

/** Identifies the measured code: the working copy when {@link MeasuredCommit.read} was called. */
export class MeasuredCommit {
  private constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly files: string,
  ) {}

  /** @param folder the repository's root; by default that of this project */
  static async read(folder: string = PROJECT): Promise<MeasuredCommit> {
    try {
      const commit = (await git(folder, 'rev-parse', '--short', 'HEAD')).trim();
      const changes = await git(folder, 'status', '--porcelain', '--untracked-files=all', ...MEASURED);
      const name = changes === '' ? commit : `${commit} with changes`;
      return new MeasuredCommit(folder, name, await fingerprint(folder));
    } catch {
      return new MeasuredCommit(folder, 'unknown', '');
    }
  }

  /**
   * The commit, whether files differed from it when it was read, and whether they have changed since. A change matters,
   * since child processes load the code again. The result is `unknown` if the folder is no repository.
   */
  async describe(): Promise<string> {
    if (this.files === '') return this.name;
    // A file that disappears while it is read counts as changed.
    const files = await fingerprint(this.folder).catch(() => 'changing');
    return files === this.files ? this.name : `${this.name}, changed since the bench began`;
  }
}

async function fingerprint(folder: string): Promise<string> {
  const untracked = await git(folder, 'ls-files', '--others', '--exclude-standard', '-z', ...MEASURED);
  const hash = createHash('sha256');
  hash.update(await git(folder, 'ls-files', '--stage', ...MEASURED)).update(await git(folder, 'diff', ...MEASURED));
  for (const file of untracked.split('\0').filter((name) => name !== '')) {
    hash.update(await git(folder, 'hash-object', '--', file));
  }
  return hash.digest('hex');
}

async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: folder, env: withoutGit(), maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}

const OF_A_REPOSITORY = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_OBJECT_DIRECTORY'];

/** The environment without Git's variables, which a hook would set. */
export function withoutGit(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_A_REPOSITORY.includes(name)));
}
