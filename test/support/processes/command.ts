import { vi } from 'vitest';
import { command } from '../../../cli/command';
import { withoutServers } from './child';

/**
 * Run the `escapement` command in this process, at a tenth of the cost of {@link spawnCommand}. Use the latter for
 * tests of signals, pipes, `run` and `dev`.
 */
export async function runCommand(args: string[], env: Record<string, string> = {}) {
  const [stdout, stderr] = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  const before = process.exitCode;
  try {
    for (const written of [stdout, stderr]) written.mockReturnValue(true);
    process.exitCode = undefined;
    await command(args, { ...withoutServers(), ...env });
    return { code: Number(process.exitCode ?? 0), stdout: textOf(stdout), stderr: textOf(stderr) };
  } finally {
    process.exitCode = before;
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

/** What was written, without the last line's end. */
function textOf({ mock }: { mock: { calls: unknown[][] } }): string {
  return mock.calls
    .map(([chunk]) => String(chunk))
    .join('')
    .replace(/\n$/, '');
}
