import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './program';

const TARBALL = join(ROOT, 'test', 'support', 'packages', 'previous', 'escapement-ba2d719.tgz');

/**
 * Unpacks the package of Escapement's previous version, and gives it today's dependencies.
 *
 * @returns the folder of the package, which the caller removes
 */
export function unpackVersionBefore(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'escapement-previous-'));
  execFileSync('tar', ['-xzf', TARBALL, '-C', folder, '--strip-components=1']);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

/** The script of the command `escapement` in the folder of a package. */
export function commandIn(folder: string): string {
  return join(folder, 'dist', 'cli', 'main.js');
}
