import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './ensure-installed.mjs';
import { ROOT, SCRATCH, say } from './lib/project.mjs';

/** The tests that check each room. */
const TESTS = {
  core: ['--project', 'unit', 'test/core'],
  trigger: ['--project', 'integration', 'test/traces'],
};
/** Time limit for a mutant that never ends. */
const AT_MOST_MILLISECONDS = 180_000;
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
const tests = folders.every((folder) => folder.startsWith('core')) ? TESTS.core : TESTS.trigger;
const all = mutantsOf(folders);
const some = drawn(all, Number(values.mutants), Number(values.seed));
copySources();
if ((await runTests()) !== 'survived') {
  say('The tests fail on the code as it is: mend that first.');
  process.exit(1);
}
const until = Date.now() + Number(values.minutes) * 60_000;
const counts = { killed: 0, 'timed out': 0, survived: 0 };
let tried = 0;
for (const mutant of some) {
  if (Date.now() > until) break;
  const end = await tryOut(mutant);
  counts[end] += 1;
  tried += 1;
  if (end === 'survived')
    say(`survived ${mutant.file}:${mutant.line} ${oneLine(mutant.from)} => ${oneLine(mutant.to)}`);
}
const found = counts.killed + counts['timed out'];
say(
  `${tried} of ${all.length} mutants of ${folders.join(', ')}, seed ${values.seed}: ${found} were noticed (${((100 * found) / Math.max(1, tried)).toFixed(1)} %), ${counts['timed out']} of them by the time`,
);

async function tryOut({ file, start, end, to }) {
  const path = join(COPY, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, start) + to + source.slice(end));
  try {
    return await runTests();
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

function runTests() {
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--bail', '1', '--maxWorkers', '1', ...tests];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: COPY, stdio: 'ignore', detached: true });
    const timer = setTimeout(() => {
      process.kill(-child.pid, 'SIGKILL');
      resolve('timed out');
    }, AT_MOST_MILLISECONDS);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? 'survived' : 'killed');
    });
  });
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').slice(0, 80);
}
