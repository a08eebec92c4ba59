import { stripVTControlCharacters } from 'node:util';
import { ensureInstalled } from './ensure-installed.mjs';
import { askOutsideLinks } from './lib/docs/outside-links.mjs';
import { say } from './lib/project.mjs';
import { node, run } from './lib/run.mjs';
import { audit, licences, sbom } from './lib/supply-chain.mjs';

/** Arguments such as `--temporal 1.29.1`, for all tests. */
const options = process.argv.slice(2);
/** Draw new random cases in each run, while `npm test` uses the same ones each time. A failing test prints its seed. */
process.env.ESCAPEMENT_TEST_SEED ??= String(Math.floor(Math.random() * 2 ** 31));

/**
 * Run everything that must hold before a change is merged. Prints one line per step, the progress of the tests, and the
 * output of the first failure.
 */
const STEPS = [
  ['format and lint', () => node('@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.'], { quiet: true })],
  ['types', () => node('typescript/bin/tsc', ['-p', 'tsconfig.json'], { quiet: true })],
  [
    'types of the dashboard',
    () => node('typescript/bin/tsc', ['-p', 'server/dashboard/tsconfig.json'], { quiet: true }),
  ],
  ['prose', () => run(process.execPath, ['scripts/lint-prose.mjs'], { quiet: true })],
  ['links to other sites', askOutsideLinks],
  ['build', () => run(process.execPath, ['scripts/build.mjs'], { quiet: true })],
  ['audit of dependencies', audit],
  ['licences of dependencies', licences],
  ['SBOM', sbom],
  ['tests', () => tests('--project=!long')],
  ['long scenes', () => tests('--project=long')],
];
/** A line of vitest's reporter that says how a test file ended. */
const FILE_ENDED = /^ [✓❯↓] .*\.test\.ts \(/;

await ensureInstalled();
for (const [name, step] of STEPS) {
  const startedAt = Date.now();
  const { code, output, note } = await step();
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)${note === undefined ? '' : `: ${note}`}`);
  if (code === 0) continue;
  say(output.trimEnd());
  process.exit(1);
}

/** Run a project's tests. Prints a failed file at once, and how many files have ended in each minute in which one has. */
async function tests(project) {
  let ended = 0;
  let printed = 0;
  const onLine = (colored) => {
    const line = stripVTControlCharacters(colored);
    if (!FILE_ENDED.test(line)) return;
    ended += 1;
    if (line.startsWith(' ❯')) say(`       failed: ${line.slice(3).trim()}`);
  };
  const timer = setInterval(() => {
    if (ended > printed) say(`       ${ended} test files have ended`);
    printed = ended;
  }, 60_000);
  try {
    return await run(process.execPath, ['scripts/test.mjs', project, ...options], { quiet: true, onLine });
  } finally {
    clearInterval(timer);
  }
}
