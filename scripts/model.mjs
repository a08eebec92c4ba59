import { SCENARIOS, WITHOUT } from '../model/scenarios.mjs';
import { search } from './lib/model.mjs';
import { say } from './lib/project.mjs';

/**
 * Search the model of the protocol. Then remove its guards, one at a time, and search again: each of these searches
 * must find a counterexample. Arguments select scenarios or guards by name. Exits with 1 if a search has another
 * result.
 */
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in SCENARIOS) && !(name in WITHOUT));
if (unknown.length > 0) {
  const known = [...Object.keys(SCENARIOS), ...Object.keys(WITHOUT)].map((name) => `  ${name}`);
  say([`No scenario or guard is named '${unknown.join("', '")}'. There are:`, ...known].join('\n'));
  process.exit(2);
}
const of = (all) => Object.entries(all).filter(([name]) => asked.length === 0 || asked.includes(name));
let failed = 0;
for (const [name, scenario] of of(SCENARIOS)) {
  const startedAt = Date.now();
  const { held, violated, states, depth, output } = await search(name, scenario);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  say(held ? `ok     ${name}: ${states} states, ${depth} steps deep (${seconds} s)` : `FAILED ${name}: ${violated}`);
  if (held) continue;
  failed += 1;
  say(output);
}
for (const [guard, scenario] of of(WITHOUT)) {
  const { held, violated } = await search(`without ${guard}`, scenario);
  say(held ? `FAILED without "${guard}" everything holds` : `ok     without "${guard}": ${violated}`);
  if (held) failed += 1;
}
process.exitCode = failed > 0 ? 1 : 0;
