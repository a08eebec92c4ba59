import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exclusively } from './lock.mjs';
import { nodeProblem } from './node-version.mjs';
import { fingerprint, ROOT, say } from './project.mjs';
import { npm, withProgress } from './run.mjs';

/** Installs the dependencies that a folder's package-lock.json names, unless they are there already. */
export async function ensureInstalledIn(folder) {
  const problem = nodeProblem(process.versions.node);
  if (problem) {
    say(problem);
    process.exit(1);
  }
  if (isInstalled(folder)) return;
  await exclusively(folder === '.' ? 'npm-ci' : `npm-ci-${folder}`, async () => {
    if (isInstalled(folder)) return;
    // Development tools too, even under NODE_ENV=production.
    const install = () => npm(['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: join(ROOT, folder) });
    const what = folder === '.' ? 'the dependencies' : `the dependencies of ${folder}/`;
    const { code } = await withProgress(`installing ${what} with npm ci`, install);
    if (code !== 0) {
      say('npm ci failed: see its message above.');
      process.exit(code);
    }
    writeFileSync(markOf(folder), wanted(folder));
  });
}

/** The mark of a finished installation. The mark lies inside node_modules, so that both are deleted together. */
function markOf(folder) {
  return join(ROOT, folder, 'node_modules', '.escapement-installed');
}

function isInstalled(folder) {
  const mark = read(markOf(folder));
  if (mark !== '') return mark === wanted(folder);
  return wasInstalledByHand(folder);
}

function wanted(folder) {
  return fingerprint([join(folder, 'package-lock.json')]);
}

/** Whether npm's own list of installed packages matches package-lock.json. Optional and peer packages may be missing. */
function wasInstalledByHand(folder) {
  const installed = read(join(ROOT, folder, 'node_modules', '.package-lock.json'));
  if (installed === '') return false;
  const found = JSON.parse(installed).packages;
  const asked = JSON.parse(read(join(ROOT, folder, 'package-lock.json'))).packages;
  const matches = Object.entries(asked).every(
    ([path, { version, optional, peer }]) =>
      path === '' || found[path]?.version === version || ((optional || peer) && !found[path]),
  );
  if (matches) writeFileSync(markOf(folder), wanted(folder));
  return matches;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
