import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from './build.mjs';
import { SCRATCH } from './lib/project.mjs';
import { node } from './lib/run.mjs';

/**
 * Everything from a fresh clone to the tests' exit code. Arguments go to vitest, except `--report FILE`, which says
 * where the JSON report goes; so does ESCAPEMENT_TEST_REPORT. Default: .cache/test-report.json. Without arguments the
 * long scenes in test/long are left out: `npm run verify` runs them, and so does naming one.
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
  const at = all.indexOf('--report');
  const named = at < 0 ? process.env.ESCAPEMENT_TEST_REPORT : all[at + 1];
  const others = at < 0 ? all : all.filter((_, index) => index !== at && index !== at + 1);
  return { report: named ? resolve(named) : join(SCRATCH, 'test-report.json'), rest: others };
}
