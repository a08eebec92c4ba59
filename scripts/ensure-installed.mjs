import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exclusively } from './lib/lock.mjs';
import { nodeProblem } from './lib/node-version.mjs';
import { fingerprint, ROOT, say } from './lib/project.mjs';
import { npm, withProgress } from './lib/run.mjs';

/** Lies inside node_modules, so that it goes when they go. */
const MARK = join(ROOT, 'node_modules', '.escapement-installed');

/** Installs the dependencies that package-lock.json names, unless they are there already. */
export async function ensureInstalled() {
  const problem = nodeProblem(process.versions.node);
  if (problem) {
    say(problem);
    process.exit(1);
  }
  if (isInstalled()) return;
  await exclusively('npm-ci', async () => {
    if (isInstalled()) return;
    // Development tools too, even under NODE_ENV=production.
    const install = () => npm(['ci', '--include=dev', '--no-audit', '--no-fund']);
    const { code } = await withProgress('installing the dependencies with npm ci', install);
    if (code !== 0) {
      say('npm ci failed: see its message above.');
      process.exit(code);
    }
    writeFileSync(MARK, wanted());
  });
}

function isInstalled() {
  const mark = read(MARK);
  if (mark !== '') return mark === wanted();
  return wasInstalledByHand();
}

function wanted() {
  return fingerprint(['package-lock.json']);
}

/** npm keeps a list of what it installed; optional packages for other platforms are missing from it. */
function wasInstalledByHand() {
  const installed = read(join(ROOT, 'node_modules', '.package-lock.json'));
  if (installed === '') return false;
  const found = JSON.parse(installed).packages;
  const asked = JSON.parse(read(join(ROOT, 'package-lock.json'))).packages;
  const matches = Object.entries(asked).every(
    ([path, { version, optional, peer }]) =>
      path === '' || found[path]?.version === version || ((optional || peer) && !found[path]),
  );
  if (matches) writeFileSync(MARK, wanted());
  return matches;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await ensureInstalled();
