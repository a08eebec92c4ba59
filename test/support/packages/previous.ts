import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type * as client from '../../../index';
import type * as migrations from '../../../migrations';
import type * as trigger from '../../../trigger';

const REPOSITORY = resolve(__dirname, '../../..');

/** Escapement as packed at the previous version, with today's dependencies. */
export interface PreviousVersion {
  client: typeof client;
  migrations: typeof migrations;
  trigger: typeof trigger;
  /** Path of the script of its command `escapement`. */
  command: string;
  remove(): void;
}

/** That version's pass that starts claimed firings. */
export function startPass(old: trigger.Trigger): Promise<{ linked: number }> {
  return (old.passes as unknown as { start(): Promise<{ linked: number }> }).start();
}

/** Schema version of that program. */
export const PREVIOUS_SCHEMA_VERSION = 9;

/** Unpack and load the previous version. */
export function previousVersion(): PreviousVersion {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'escapement-previous-'));
  const tarball = resolve(__dirname, 'previous/escapement-ba2d719.tgz');
  execFileSync('tar', ['-xzf', tarball, '-C', directory, '--strip-components=1']);
  symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'), 'dir');
  const load = createRequire(join(directory, 'package.json'));
  return {
    client: load('./dist/index.js'),
    migrations: load('./dist/migrations/index.js'),
    trigger: load('./dist/trigger/index.js'),
    command: join(directory, 'dist/cli/main.js'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
