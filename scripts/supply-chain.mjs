import { parseArgs } from 'node:util';
import { say } from './lib/project.mjs';
import { audit, licences, sbom } from './lib/supply-chain.mjs';

/**
 * Check the dependencies: known vulnerabilities, licences, and the published list of all packages. With
 * `--require-audit` it fails if the registry answers no audit.
 */
const STEPS = { audit, licences, sbom };

const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: { 'require-audit': { type: 'boolean', default: false } },
});
const unknown = asked.filter((name) => !Object.hasOwn(STEPS, name));
if (unknown.length > 0) throw new Error(`there is no step '${unknown[0]}'; there are ${Object.keys(STEPS).join(', ')}`);
for (const name of asked.length > 0 ? asked : Object.keys(STEPS)) {
  const step = name === 'audit' ? () => audit({ isRequired: values['require-audit'] }) : STEPS[name];
  const { code, output, note } = await step();
  say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}${note === undefined ? '' : `: ${note}`}`);
  if (code === 0) continue;
  say(output);
  process.exitCode = 1;
}
