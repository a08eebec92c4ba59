import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from './build.mjs';
import { SCRATCH } from './lib/project.mjs';
import { node } from './lib/run.mjs';

/**
 * Run the tests, with all set-up from a fresh clone. Arguments go to vitest, except `--report FILE`, the place of the
 * JSON report; ESCAPEMENT_TEST_REPORT sets it too, and the default is .cache/test-report.json. `--temporal VERSION` is
 * the version of the Temporal server. Without other arguments the long scenes in test/long are left out. `npm run
 * verify` runs them; a scene named as an argument runs too.
 */
const { report, rest } = readArguments(process.argv.slice(2));
const selection = rest.length > 0 ? rest : ['--project=!long'];
rmSync(report, { force: true });
mkdirSync(dirname(report), { recursive: true });
await build();
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const { code } = await node('vitest/vitest.mjs', ['run', ...reporters, ...selection], { stdout: 'inherit' });
process.exitCode = code;

function readArguments(all) {
  const rest = [...all];
  const report = taken(rest, '--report') ?? process.env.ESCAPEMENT_TEST_REPORT;
  const temporal = taken(rest, '--temporal');
  if (temporal) process.env.ESCAPEMENT_TEST_TEMPORAL = temporal;
  return { report: report ? resolve(report) : join(SCRATCH, 'test-report.json'), rest };
}

/** Return the value of an option, and remove it from the arguments. */
function taken(rest, option) {
  const at = rest.indexOf(option);
  return at < 0 ? undefined : rest.splice(at, 2)[1];
}
