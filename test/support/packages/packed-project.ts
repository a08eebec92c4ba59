import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { memoryFolder } from '../../../provision/memory-folder';
import { runNode } from '../processes/child';

const REPOSITORY = resolve(__dirname, '../../..');
const INSTALLED = join(REPOSITORY, 'node_modules');
const execute = promisify(execFile);

/** A fresh project, as of a user, that has installed Escapement from its tarball. */
export interface PackedProject {
  directory: string;
  /** Run the command of an installed package, such as `tsc`, or `node`, to its end. */
  run(command: string, args?: string[], env?: Record<string, string>): Promise<{ code: number | null; output: string }>;
  /** Run a command that must not fail; the error contains its output. */
  mustRun(command: string, args?: string[], env?: Record<string, string>): Promise<string>;
}

/**
 * Make a fresh project outside of this repository, with the packed Escapement. The project is deleted after the test.
 *
 * The project has the declared dependencies of Escapement, the `tools`, and nothing else, so that an undeclared
 * dependency is missing as it would be for a user. These dependencies are links into this repository's node_modules, so
 * that no registry is needed.
 */
export async function packedProject(options: {
  /** Contents by path. A `package.json` is added if none is given. */
  files: Record<string, string>;
  /** Packages that the project installs besides. */
  tools?: string[];
  /** The project's TypeScript is the last release before the native compiler, instead of this repository's. */
  typescript5?: boolean;
  /** Optional peers that the project does not install. */
  without?: string[];
}): Promise<PackedProject> {
  // A project has more than a thousand files, so it lies in memory if there is room.
  const directory = await mkdtemp(join((await memoryFolder()) ?? (await realpath(tmpdir())), 'escapement-packed-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const files = { 'package.json': '{ "name": "fresh", "private": true }\n', ...options.files };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  const { dependencies, peerDependencies } = await installTarball(directory);
  const declared = Object.keys({ ...dependencies, ...peerDependencies }).filter(
    (name) => !options.without?.includes(name),
  );
  for (const name of new Set([...declared, ...(options.tools ?? [])])) {
    const path = join(directory, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    const isFormer = name === 'typescript' && options.typescript5;
    await symlink(isFormer ? typescript5() : join(INSTALLED, name), path, 'dir');
  }
  const run: PackedProject['run'] = async (command, args = [], env = {}) => {
    const script = command === 'node' ? [] : [await scriptOf(directory, command)];
    const child = runNode([...script, ...args], env, directory);
    const { code } = await child.ended();
    return { code, output: [...child.output, ...child.errors].join('\n') };
  };
  return {
    directory,
    run,
    mustRun: async (command, args = [], env = {}) => {
      const { code, output } = await run(command, args, env);
      if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
      return output;
    },
  };
}

/** The path of TypeScript 5, which `@arethetypeswrong/core` depends on. */
export function typescript5(): string {
  const neighbour = createRequire(join(INSTALLED, '@arethetypeswrong', 'core', 'package.json'));
  return dirname(neighbour.resolve('typescript/package.json'));
}

let packed: Promise<Buffer> | undefined;

/** The tarball, made once per process. `npm pack` builds first if the sources have changed. */
async function pack(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'escapement-tarball-'));
  try {
    await npm(['pack', '--pack-destination', folder]);
    const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
    return await readFile(join(folder, `escapement-${version}.tgz`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function installTarball(directory: string) {
  packed ??= pack();
  const folder = join(directory, 'node_modules', 'escapement');
  const tarball = join(directory, 'escapement.tgz');
  await mkdir(folder, { recursive: true });
  await writeFile(tarball, await packed);
  await execute('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
  };
}

function npm(args: string[]) {
  const self = process.env.npm_execpath;
  return self?.endsWith('.js')
    ? execute(process.execPath, [self, ...args], { cwd: REPOSITORY })
    : execute('npm', args, { cwd: REPOSITORY });
}

/** The script of a command: `tsc` belongs to the package `typescript`, any other command to the package of its name. */
async function scriptOf(directory: string, command: string): Promise<string> {
  const name = command === 'tsc' ? 'typescript' : command;
  const path = createRequire(join(directory, 'package.json')).resolve(`${name}/package.json`);
  const { bin } = JSON.parse(await readFile(path, 'utf8'));
  return join(dirname(path), typeof bin === 'string' ? bin : bin[command]);
}
