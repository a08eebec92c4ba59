import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lock } from '../../../provision/lock';
import { lastLine, run } from '../../../provision/run';

/**
 * Install a program from the distribution, unless it is on the PATH already.
 *
 * @param packageName name of the package in Debian and Ubuntu
 * @throws {Error} if it is not available
 */
export async function ensureProgram(program: string, packageName = program): Promise<void> {
  const isThere = async () => (await run(program, ['--version'])).code === 0;
  if (await isThere()) return;
  // Only one apt-get can run at a time: a second one fails. So test files in other processes take turns.
  const held = await lock(join(tmpdir(), 'escapement-apt-get.lock'), () => {});
  try {
    if (await isThere()) return;
    const environment = { DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update'], { environment });
    const { output } = await run(
      'apt-get',
      ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', packageName],
      { environment },
    );
    if (await isThere()) return;
    throw new Error(
      `this test needs ${program} on the PATH, and apt-get could not install its package ${packageName}: ${lastLine(output)}`,
    );
  } finally {
    await held.release();
  }
}

/** Path of an installed program. */
export async function pathOfProgram(program: string): Promise<string> {
  return (await run('which', [program])).output.trim();
}
