import { lastLine, run } from '../../../provision/run';

/**
 * Path of a program from the distribution; it is installed if that is possible.
 *
 * @param packageName name of the package in Debian and Ubuntu
 * @throws {Error} if it is not available
 */
export async function ensureProgram(program: string, packageName = program): Promise<void> {
  const isThere = async () => (await run(program, ['--version'])).code === 0;
  if (await isThere()) return;
  const environment = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { environment });
  const { output } = await run('apt-get', ['install', '-y', '--no-install-recommends', packageName], { environment });
  if (await isThere()) return;
  throw new Error(
    `this test needs ${program} on the PATH, and apt-get could not install its package ${packageName}: ${lastLine(output)}`,
  );
}

/** Where a program lies that is there. */
export async function pathOfProgram(program: string): Promise<string> {
  return (await run('which', [program])).output.trim();
}
