import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './ensure-installed.mjs';
import { endSuites, runSuite, suitesOf } from './lib/mutation/suites.mjs';
import { ROOT, SCRATCH, say } from './lib/project.mjs';

/** If a suite takes this many times as long for a mutant as for the unchanged code, it is taken to hang. */
const TIMES_AS_LONG = 4;

/**
 * Change the code in one place, in a copy, and check whether the tests notice:
 * `npm run mutate -- --mutants 50 --seed 1 core/decisions`. `--skip 20` leaves out the first 20 mutants that the seed
 * draws. Ctrl-C ends the run. Once mutants are tried, it prints the figures so far.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutants: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    skip: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '60' },
  },
});
await ensureInstalled();
const { drawn, mutantsOf } = await import('./lib/mutants.mjs');
const folders = positionals.length > 0 ? positionals : ['core'];
const all = mutantsOf(folders);
const skipped = Number(values.skip);
const some = drawn(all, skipped + Number(values.mutants), Number(values.seed)).slice(skipped);
const copies = Array.from({ length: availableParallelism() }, (_, index) => copySources(index));
let stopServers = async () => {};
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    stopping = true;
    endSuites();
  });
}
if (some.some(({ file }) => !file.startsWith('core/'))) {
  const { startServers } = await import('./lib/mutation/servers.mjs');
  stopServers = await startServers();
  for (const copy of copies) buildOnce(copy);
}

/** How long each suite takes on the unchanged code, in milliseconds. */
const usual = new Map();
const noticedBy = new Map();
let tried = 0;
let timedOut = 0;
try {
  if (await passUnchanged()) await tryAll();
} finally {
  await stopServers();
}

/** Run each suite on the unchanged code. Resolves to false if one fails. */
async function passUnchanged() {
  const suites = new Map(some.flatMap(({ file }) => suitesOf(file)).map((suite) => [suite.name, suite]));
  await inCopies([...suites.values()], async (suite, copy) => {
    const begun = Date.now();
    const end = await runSuite(suite, copy, 2 ** 31 - 1);
    if (end === 'survived') usual.set(suite.name, Date.now() - begun);
    else if (!stopping) say(`${suite.name} fails on the code as it is: mend that first.`);
  });
  const passed = usual.size === suites.size;
  if (!passed) process.exitCode = 1;
  return passed;
}

/** Try the mutants. */
async function tryAll() {
  const until = Date.now() + Number(values.minutes) * 60_000;
  await inCopies(some, async (mutant, copy) => {
    if (Date.now() < until) await count(mutant, copy);
  });
  const found = noticed();
  const by = [...noticedBy].map(([suite, count]) => `${count} by ${suite}`).join(', ');
  say(
    `${tried} of ${all.length} mutants of ${folders.join(', ')}, seed ${values.seed}: ${found} were noticed (${((100 * found) / Math.max(1, tried)).toFixed(1)} %; ${by}), ${timedOut} of them by the time`,
  );
}

/** Work through a list, one item at a time in each copy. */
async function inCopies(list, work) {
  const left = [...list];
  await Promise.all(
    copies.map(async (copy) => {
      while (left.length > 0 && !stopping) await work(left.shift(), copy);
    }),
  );
}

async function count(mutant, copy) {
  const { end, suite } = await tryOut(mutant, copy);
  if (stopping) return;
  tried += 1;
  if (end === 'timed out') timedOut += 1;
  if (end === 'survived')
    say(`survived ${mutant.file}:${mutant.line} ${oneLine(mutant.from)} => ${oneLine(mutant.to)}`);
  else noticedBy.set(suite, (noticedBy.get(suite) ?? 0) + 1);
  if (tried % 10 === 0) say(`${tried} of ${some.length}: ${noticed()} were noticed`);
}

function noticed() {
  return [...noticedBy.values()].reduce((sum, count) => sum + count, 0);
}

async function tryOut({ file, start, end, to }, copy) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, start) + to + source.slice(end));
  try {
    for (const suite of suitesOf(file)) {
      const result = await runSuite(suite, copy, TIMES_AS_LONG * usual.get(suite.name));
      if (result !== 'survived') return { end: result, suite: suite.name };
    }
    return { end: 'survived' };
  } finally {
    writeFileSync(path, source);
  }
}

/** Copy the tracked files in their current state, and link the dependencies of the original. Returns the copy's folder. */
function copySources(index) {
  const copy = join(SCRATCH, `mutate/${index}`);
  rmSync(copy, { recursive: true, force: true });
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of String(files).split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/**
 * Builds the unchanged code in a copy, and replaces the build script there with an empty one. So tests that need the
 * built command take it from this build. A mutant that does not compile fails no build, and counts only if its tests
 * notice it.
 */
function buildOnce(copy) {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: copy });
  writeFileSync(join(copy, 'scripts/build.mjs'), '');
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').slice(0, 80);
}
