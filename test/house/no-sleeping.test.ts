import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const REPOSITORY = resolve(__dirname, '../..');
const AT_MOST_MILLISECONDS = 50;

/** Allowed longer waits, each with its reason, for real processes and servers. Nothing else belongs here. */
const ALLOWED: Record<string, string> = {
  'test/provision/cache.test.ts': 'a process that is killed while it builds must be alive until then',
  'test/provision/postgres.test.ts': 'a process that is killed must be alive until then',
  'test/provision/temporal.test.ts': 'the sleep is one of the time-skipping server, which skips it',
  'test/long/incidents/drills.test.ts': 'a real server takes its time until a workflow task has failed thrice',
  'test/long/servers/failover.test.ts': 'a real server shows late what has started, and allows few lists a second',
  'test/support/deployment/deployed.ts': 'what does not end within its grace period is killed, as a supervisor does',
  'test/trigger/recover/failed-over.ts': 'a real server shows late what has started, and allows few lists a second',
};

/** Waits by the real clock: timers, sleeps of Postgres and of activities, poll intervals. */
const WAITS = /\b(?:setTimeout|setInterval|sleep|pg_sleep|wait)\(|\binterval: (?=\d|[A-Z_]{2})/g;

it('no test waits longer than 50 ms by the clock on the wall, but those of real processes', () => {
  const waiting = filesIn('test').flatMap((file) => waitsIn(file).map((wait) => ({ file, wait })));
  expect(waiting.filter(({ file }) => !(file in ALLOWED))).toEqual([]);
  // An exception for code that no longer waits must be removed.
  expect(Object.keys(ALLOWED).filter((file) => !waiting.some((one) => one.file === file))).toEqual([]);
});

it.each([
  ['await setTimeout(50)', []],
  ['new Promise((resolve) => setTimeout(resolve, 40))', []],
  ['const PAUSE = 10;\nsetTimeout(work, PAUSE)', []],
  ['await setTimeout(51)', ['setTimeout(51)']],
  ['setTimeout(() => go(1), 2_000)', ['setTimeout(() => go(1), 2_000)']],
  ['const PAUSE = 1_000;\nsetTimeout(work, PAUSE)', ['setTimeout(work, PAUSE)']],
  ["query('select pg_sleep(0.5)')", ["pg_sleep(0.5)')"]],
  ["await context.sleep('1 second')", ["sleep('1 second')"]],
  ['vi.waitFor(look, { interval: 500 })', ['interval: 500 })']],
])('of %j finds what waits too long', (source, found) => {
  expect(waitsOf(source)).toEqual(found);
});

function waitsIn(file: string): string[] {
  const source = readFileSync(join(REPOSITORY, file), 'utf8');
  // A workflow's timers are Temporal's, which the time-skipping server skips.
  return source.includes("from '@temporalio/workflow'") ? [] : waitsOf(source);
}

/** Each place that may wait too long, with its duration: a number, or a constant of the file. */
function waitsOf(source: string): string[] {
  return [...source.matchAll(WAITS)].flatMap(({ 0: call, index }) => {
    const line = source.slice(index).split('\n', 1)[0]!;
    const unit = call === 'pg_sleep(' ? 1_000 : 1;
    const named = line.replace(/\b[A-Z][A-Z_]+\b/g, (name) => constantOf(source, name) ?? name);
    const duration = /(?:[(,:]\s*)([\d_.]+)\s*\)?[^(\d]*$/.exec(named)?.[1];
    return duration !== undefined && Number(duration.replaceAll('_', '')) * unit <= AT_MOST_MILLISECONDS ? [] : [line];
  });
}

function constantOf(source: string, name: string): string | undefined {
  return new RegExp(`\\bconst ${name} = ([\\d_]+);`).exec(source)?.[1];
}

function filesIn(folder: string): string[] {
  const own = relative(REPOSITORY, __filename);
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.ts') && file !== own);
}
