import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The results change while scenes are measured one after the other; they are no part of what is measured. */
const MEASURED = ['.', ':!bench/results', ':!bench/README.md'];

/** The commit that this working copy is at, and whether its files differ from it; `unknown` where there is none. */
export async function describeCommit(): Promise<string> {
  try {
    const { stdout: commit } = await run('git', ['rev-parse', '--short', 'HEAD']);
    const { stdout: changes } = await run('git', ['status', '--porcelain', '--', ...MEASURED]);
    return changes === '' ? commit.trim() : `${commit.trim()} with changes`;
  } catch {
    return 'unknown';
  }
}
