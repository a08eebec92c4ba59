import { say } from './lib/project.mjs';
import { audit, licences, sbom } from './lib/supply-chain.mjs';

/** What the package takes in from others: known holes, licences, and the list of all of it, which is published with it. */
const STEPS = { audit, licences, sbom };

const asked = process.argv.slice(2);
for (const [name, step] of Object.entries(STEPS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const { code, output, note } = await step();
  say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}${note === undefined ? '' : `: ${note}`}`);
  if (code === 0) continue;
  say(output);
  process.exitCode = 1;
}
