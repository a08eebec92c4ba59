import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './ensure-installed.mjs';
import { exclusively } from './lib/lock.mjs';
import { fingerprint, ROOT, say } from './lib/project.mjs';
import { node, withProgress } from './lib/run.mjs';

const DIST = join(ROOT, 'dist');
/** Beside dist/, so that the relative paths of the source maps stay valid after the rename. */
const DRAFT = join(ROOT, '.dist-draft');
const MARK = join(DIST, '.built-from');
const COMMAND = join(DRAFT, 'cli', 'main.js');

/**
 * Compile the sources into dist/, unless dist/ was compiled from exactly these sources. dist/ is replaced as a whole.
 */
export async function build() {
  await ensureInstalled();
  await exclusively('build', async () => {
    const sources = fingerprint(inputs());
    if (existsSync(MARK) && readFileSync(MARK, 'utf8') === sources) return;
    rmSync(DRAFT, { recursive: true, force: true });
    const compile = () => node('typescript/bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', DRAFT]);
    const { code } = await withProgress('compiling', compile);
    const dashboard =
      code === 0 ? await node('typescript/bin/tsc', ['-p', 'server/dashboard/tsconfig.json']) : { code };
    if (dashboard.code !== 0) {
      say('The sources do not compile: see above.');
      process.exit(dashboard.code);
    }
    // Imported here and not above, since its packages may only just have been installed.
    const { bundleDashboard } = await import('./lib/dashboard.mjs');
    await bundleDashboard(DRAFT);
    if (existsSync(COMMAND)) chmodSync(COMMAND, 0o755);
    writeFileSync(join(DRAFT, '.built-from'), sources);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(DRAFT, DIST);
  });
}

function inputs() {
  const settings = [
    'version.ts',
    'scripts/lib/dashboard.mjs',
    'tsconfig.json',
    'tsconfig.build.json',
    'package.json',
    'package-lock.json',
  ];
  return [...settings, ...JSON.parse(readFileSync(join(ROOT, 'tsconfig.build.json'), 'utf8')).include];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await build();
