import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './ensure-installed.mjs';
import { ROOT, SCRATCH, say } from './lib/project.mjs';

/**
 * The tests that check a file, in order: the later ones run only if the mutant survived the earlier ones. The tests of a
 * room mostly wait for servers, so several of its files run at once.
 */
function suitesOf(file) {
  if (file.startsWith('core/')) return [{ name: 'test/core', project: 'unit', workers: 1 }];
  const room = dirname(file).split('/').slice(0, 2).join('/');
  const own = `test/${file.replace(/\.ts$/, '.test.ts')}`;
  const suites = [
    { name: own, project: 'integration', workers: 1 },
    { name: 'test/traces', project: 'integration', workers: 1 },
    { name: `test/${room}`, project: 'integration', workers: 3 },
  ];
  return suites.filter(({ name }) => existsSync(join(ROOT, name)));
}

/** A mutant that runs this many times as long as the code as it is never ends. */
const TIMES_AS_LONG = 4;
const COPY = join(SCRATCH, 'mutate');

/**
 * Change the code in one place, in a copy, and check whether the tests notice: `npm run mutate -- --mutants 50 --seed 1
 * core/decisions`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutants: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
  },
});
await ensureInstalled();
const { drawn, mutantsOf } = await import('./lib/mutants.mjs');
const folders = positionals.length > 0 ? positionals : ['core'];
const all = mutantsOf(folders);
const some = drawn(all, Number(values.mutants), Number(values.seed));
copySources();
/** How long each suite takes on the code as it is, in milliseconds. */
const usual = new Map();
for (const suite of some.flatMap(({ file }) => suitesOf(file))) {
  if (usual.has(suite.name)) continue;
  const begun = Date.now();
  if ((await runTests(suite, 2 ** 31 - 1)) !== 'survived') {
    say(`${suite.name} fails on the code as it is: mend that first.`);
    process.exit(1);
  }
  usual.set(suite.name, Date.now() - begun);
}
// A mutant that does not compile counts by its tests alone. They take the command, where they need it, from the first build.
writeFileSync(join(COPY, 'scripts/build.mjs'), '');
const until = Date.now() + Number(values.minutes) * 60_000;
const noticedBy = new Map();
let tried = 0;
let timedOut = 0;
for (const mutant of some) {
  if (Date.now() > until) break;
  const { end, suite } = await tryOut(mutant);
  tried += 1;
  if (end === 'timed out') timedOut += 1;
  if (end === 'survived')
    say(`survived ${mutant.file}:${mutant.line} ${oneLine(mutant.from)} => ${oneLine(mutant.to)}`);
  else noticedBy.set(suite, (noticedBy.get(suite) ?? 0) + 1);
  if (tried % 10 === 0) say(`${tried} of ${some.length}: ${noticed()} were noticed`);
}
const found = noticed();
const by = [...noticedBy].map(([suite, count]) => `${count} by ${suite}`).join(', ');
say(
  `${tried} of ${all.length} mutants of ${folders.join(', ')}, seed ${values.seed}: ${found} were noticed (${((100 * found) / Math.max(1, tried)).toFixed(1)} %; ${by}), ${timedOut} of them by the time`,
);

function noticed() {
  return [...noticedBy.values()].reduce((sum, count) => sum + count, 0);
}

async function tryOut({ file, start, end, to }) {
  const path = join(COPY, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, start) + to + source.slice(end));
  try {
    for (const suite of suitesOf(file)) {
      const result = await runTests(suite, TIMES_AS_LONG * usual.get(suite.name));
      if (result !== 'survived') return { end: result, suite: suite.name };
    }
    return { end: 'survived' };
  } finally {
    writeFileSync(path, source);
  }
}

/** Copy the tracked files in their current state, and link the dependencies of the original. */
function copySources() {
  rmSync(COPY, { recursive: true, force: true });
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of String(files).split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(COPY, file)), { recursive: true });
    cpSync(join(ROOT, file), join(COPY, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
}

function runTests({ name, project, workers }, atMostMilliseconds) {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--bail', '1', '--maxWorkers', String(workers), '--project', project, name];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: COPY, stdio: 'ignore', detached: true });
    const timer = setTimeout(() => {
      process.kill(-child.pid, 'SIGKILL');
      resolve('timed out');
    }, atMostMilliseconds);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? 'survived' : 'killed');
    });
  });
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').slice(0, 80);
}
