import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from './build.mjs';
import { SCRATCH } from './lib/project.mjs';
import { node } from './lib/run.mjs';

/**
 * Everything from a fresh clone to the tests' exit code. Arguments go to vitest, except `--report FILE`, which says
 * where the JSON report goes; so does ESCAPEMENT_TEST_REPORT. Default: .cache/test-report.json. `--temporal VERSION` is the
 * version of the Temporal server. Without other arguments the long scenes in test/long are left out: `npm run verify`
 * runs them, and so does naming one.
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

/** The value of an option, which it takes out of the arguments. */
function taken(rest, option) {
  const at = rest.indexOf(option);
  return at < 0 ? undefined : rest.splice(at, 2)[1];
}
