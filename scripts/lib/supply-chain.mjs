import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from './project.mjs';
import { npm } from './run.mjs';

/** Licences that a dependency may have. */
const LICENCES = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'MPL-2.0', 'BlueOak-1.0.0'];
/** Inside dist/, so that it is published. */
const SBOM = join(ROOT, 'dist', 'sbom.cdx.json');

const askRegistry = () => npm(['audit', '--json'], { quiet: true });

/**
 * Ask the registry which packages have known vulnerabilities, and report those that a program with this package has. If
 * the registry does not answer, this is reported, and counts as a failure only if an answer is required. A registry
 * without this service must not stop anybody from working, but must stop a release.
 */
export async function audit({ ask = askRegistry, isRequired = false } = {}) {
  const { output } = await ask();
  const report = jsonIn(output);
  if (!report?.vulnerabilities) {
    const why = report?.message ?? output.trim().split('\n', 1)[0];
    return { code: isRequired ? 1 : 0, output: '', note: `NOT DONE, the registry answers no audit: ${why}` };
  }
  const shipped = new Set(shippedBy(lockFile()).map(({ path }) => path));
  const found = Object.values(report.vulnerabilities)
    .filter(({ nodes }) => nodes.some((path) => shipped.has(path)))
    .map(({ name, severity, via }) => `${name}: ${severity}: ${via.map((one) => one.title ?? one).join('; ')}`);
  return { code: found.length === 0 ? 0 : 1, output: found.join('\n'), note: `${found.length} known holes` };
}

/**
 * Check the licences of the package's dependencies and required peers, as the lock file gives them. What only
 * development needs is not checked.
 */
export function licences(lock = lockFile()) {
  const shipped = shippedBy(lock);
  const refused = shipped.filter(({ license }) => !isAllowed(license));
  const output = refused.map(
    ({ name, license = 'none' }) => `${name}: ${license} is not one of ${LICENCES.join(', ')}`,
  );
  return { code: refused.length === 0 ? 0 : 1, output: output.join('\n'), note: `${shipped.length} packages` };
}

/** Write the list of dependencies and required peers in CycloneDX, and check that no shipped package is missing. */
export async function sbom(file = SBOM) {
  // With --omit=dev, npm leaves out required peers, since they are development dependencies too.
  const { code, output } = await npm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], { quiet: true });
  const bom = code === 0 ? jsonIn(output) : undefined;
  if (!bom) return { code: 1, output };
  const shipped = new Set(shippedBy(lockFile()).map(idOf));
  // npm marks required peers as development dependencies.
  const withoutMark = ({ properties, ...component }) => component;
  const components = bom.components.filter((component) => shipped.has(idOf(component))).map(withoutMark);
  const refs = new Set([bom.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }));
  // Remove numbers, times and folder names, so that the same sources give the same file.
  const { serialNumber, ...rest } = { ...bom, components, dependencies };
  delete rest.metadata.timestamp;
  rest.metadata.component.name = manifest().name;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(rest, null, 2)}\n`);
  const listed = new Set(components.map(idOf));
  const missing = [...shipped].filter((id) => !listed.has(id)).map((id) => `${id} is missing from the SBOM`);
  return { code: missing.length === 0 ? 0 : 1, output: missing.join('\n'), note: `${components.length} components` };
}

function idOf({ name, version }) {
  return `${name}@${version}`;
}

/**
 * The packages that a program with this package has: its dependencies, its required peers, and theirs. The lock file's
 * mark `dev` is of no use here, since required peers are development dependencies too.
 */
export function shippedBy({ packages }) {
  const paths = new Set(['']);
  // The loop also reaches the paths that it adds.
  for (const path of paths) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = packages[path];
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const found = pathOf(name, path, packages);
      if (found) paths.add(found);
    }
  }
  paths.delete('');
  return [...paths].map((path) => {
    const { version, license, engines } = packages[path];
    return { path, name: path.replace(/^.*node_modules\//, ''), version, license, engines };
  });
}

/** Where Node finds a package that another one names: in the nearest node_modules. */
function pathOf(name, from, packages) {
  const path = posix.join(from, 'node_modules', name);
  if (packages[path]) return path;
  if (from === '') return undefined;
  return pathOf(name, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), packages);
}

/** For a choice of licences one must be allowed; for a combination, all. */
function isAllowed(license = '') {
  const words = license.replace(/[()]/g, '');
  return words.split(' OR ').some((choice) => choice.split(' AND ').every((one) => LICENCES.includes(one)));
}

/** npm prints warnings around its JSON. */
function jsonIn(output) {
  try {
    return JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

function lockFile() {
  return JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
}

function manifest() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}
