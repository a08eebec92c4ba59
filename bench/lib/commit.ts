import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The results change while scenes are measured one after the other; they are no part of what is measured. */
const MEASURED = ['--', '.', ':!bench/results', ':!bench/README.md'];

/** What of this working copy is measured: what it was when the bench was loaded. */
export class MeasuredCommit {
  private constructor(
    private readonly name: string,
    private readonly files: string,
  ) {}

  static async read(): Promise<MeasuredCommit> {
    try {
      const commit = (await git('rev-parse', '--short', 'HEAD')).trim();
      const changes = await git('status', '--porcelain', ...MEASURED);
      return new MeasuredCommit(changes === '' ? commit : `${commit} with changes`, await fingerprint());
    } catch {
      return new MeasuredCommit('unknown', '');
    }
  }

  /**
   * The commit, whether files differed from it when the bench was loaded, and whether they have changed since: a part of
   * what runs in processes of its own is read anew for each. `unknown` where there is no repository.
   */
  async describe(): Promise<string> {
    if (this.files === '' || (await fingerprint()) === this.files) return this.name;
    return `${this.name}, changed since the bench began`;
  }
}

async function fingerprint(): Promise<string> {
  const untracked = (await git('ls-files', '--others', '--exclude-standard', '-z', ...MEASURED)).split('\0');
  const hash = createHash('sha256');
  hash.update(await git('ls-files', '--stage', ...MEASURED)).update(await git('diff', ...MEASURED));
  for (const file of untracked.filter((name) => name !== '')) hash.update(await git('hash-object', '--', file));
  return hash.digest('hex');
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}
