import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './project.mjs';
import { npm } from './run.mjs';

/** What ships may be used, changed and sold by whoever installs it, at most with its text kept. */
const LICENCES = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'MPL-2.0', 'BlueOak-1.0.0'];
/** Inside dist/, so that it is published. */
const SBOM = join(ROOT, 'dist', 'sbom.cdx.json');

const askRegistry = () => npm(['audit', '--omit=dev', '--json'], { quiet: true });

/**
 * Asks the registry which dependencies of the package have known holes. What it does not answer is said, and is a failure only where an
 * answer is required: nobody may be kept from working by a registry without that service, and nothing is published without it.
 */
export async function audit({ ask = askRegistry, isRequired = false } = {}) {
  const { output } = await ask();
  const report = jsonIn(output);
  const counts = report?.metadata?.vulnerabilities;
  if (!counts) {
    const why = report?.message ?? output.trim().split('\n', 1)[0];
    return { code: isRequired ? 1 : 0, output: '', note: `NOT DONE, the registry answers no audit: ${why}` };
  }
  const found = Object.values(report.vulnerabilities ?? {}).map(({ name, severity, via }) => {
    const titles = via.map((one) => one.title ?? one).join('; ');
    return `${name}: ${severity}: ${titles}`;
  });
  const isClean = found.length === 0 && counts.total === 0;
  return { code: isClean ? 0 : 1, output: found.join('\n'), note: `${counts.total} known holes` };
}

/** Checks the licences of what the package needs, as the lock file has them; what is only for development does not ship. */
export function licences(lock = lockFile()) {
  const shipped = shippedBy(lock);
  const refused = shipped.filter(({ license }) => !isAllowed(license));
  const output = refused.map(
    ({ name, license = 'none' }) => `${name}: ${license} is not one of ${LICENCES.join(', ')}`,
  );
  return { code: refused.length === 0 ? 0 : 1, output: output.join('\n'), note: `${shipped.length} packages` };
}

/** Writes what the package is made of, in CycloneDX, and checks that nothing which ships is missing from it. */
export async function sbom(file = SBOM) {
  // With --omit=dev npm leaves out what the package and a tool both need.
  const { code, output } = await npm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], { quiet: true });
  const bom = code === 0 ? jsonIn(output) : undefined;
  if (!bom) return { code: 1, output };
  const shipped = new Set(shippedBy(lockFile()).map(idOf));
  const components = bom.components.filter((component) => shipped.has(idOf(component)));
  const refs = new Set([bom.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }));
  // The same sources make the same file: no number, no time, no name of a folder.
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

/** What `devOptional` marks is needed by a tool and by an optional dependency, and so is installed with the package. */
function shippedBy({ packages }) {
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version, license }]) => ({ name: path.replace(/^.*node_modules\//, ''), version, license }));
}

/** Of a choice one must be allowed, of several at once each. */
function isAllowed(license = '') {
  const words = license.replace(/[()]/g, '');
  return words.split(' OR ').some((choice) => choice.split(' AND ').every((one) => LICENCES.includes(one)));
}

/** npm writes warnings around its JSON. */
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
