import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './project.mjs';

const SOURCE = join(ROOT, 'server', 'dashboard');

/** Bundle the dashboard into a folder of the built package, so that users need not build anything. */
export async function bundleDashboard(dist) {
  const folder = join(dist, 'server', 'dashboard');
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: { app: join(SOURCE, 'main.tsx') },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: join(SOURCE, 'tsconfig.json'),
    logLevel: 'warning',
  });
  for (const name of ['index.html', 'icon.svg']) copyFileSync(join(SOURCE, name), join(folder, name));
}
