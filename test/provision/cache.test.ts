import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cachedOrBuilt } from '../../provision/cache';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'escapement-cache-test-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const silent = () => {};
const entry = (build: (directory: string) => Promise<void>, check = async (_: string) => {}) => ({
  name: 'tool-1.0.0',
  file: 'tool',
  build,
  check,
});
const builds = (content: string) => entry((directory) => writeFile(join(directory, 'tool'), content));

test('a build that failed half way is not taken for a result', async () => {
  const halfWay = entry(async (directory) => {
    await writeFile(join(directory, 'tool'), 'half');
    throw new Error('connection reset');
  });
  await expect(cachedOrBuilt(halfWay, silent, root)).rejects.toThrow('connection reset');
  expect(await readdir(root)).toEqual([]);
  expect(await readFile(await cachedOrBuilt(builds('whole'), silent, root), 'utf8')).toBe('whole');
});

test('a build that does not work is not taken for a result', async () => {
  const broken = entry(
    (directory) => writeFile(join(directory, 'tool'), 'broken'),
    async () => {
      throw new Error('does not run');
    },
  );
  await expect(cachedOrBuilt(broken, silent, root)).rejects.toThrow('does not run');
  expect(await readdir(root)).toEqual([]);
});

test('a builder killed half way neither blocks nor poisons the next one', async () => {
  const builder = startBuilder(`
    const { writeFileSync } = await import('node:fs');
    writeFileSync(directory + '/tool', 'half');
    process.stdout.write('half way');
    await new Promise(() => setInterval(() => {}, 1000));
  `);
  await once(builder.stdout!, 'data');
  builder.kill('SIGKILL');
  await once(builder, 'exit');
  expect(await readdir(root)).toHaveLength(2); // The lock and the unfinished folder.

  expect(await readFile(await cachedOrBuilt(builds('whole'), silent, root), 'utf8')).toBe('whole');
  expect(await readdir(root)).toEqual(['tool-1.0.0']);
});

test('of builders in two processes one builds and the other waits and says so', async () => {
  const body = `
    const { appendFileSync, writeFileSync, existsSync } = await import('node:fs');
    appendFileSync(process.argv[2] + '/builds', 'x');
    process.stdout.write('building');
    while (!existsSync(process.argv[2] + '/go')) await new Promise((resolve) => setTimeout(resolve, 10));
    writeFileSync(directory + '/tool', 'whole');
  `;
  const first = startBuilder(body);
  await once(first.stdout!, 'data');
  const second = startBuilder(body);
  const [said] = await once(second.stderr!, 'data');
  expect(String(said)).toContain(`waiting for process ${first.pid}`);
  await writeFile(join(root, 'go'), '');
  const codes = await Promise.all([first, second].map(async (builder) => (await once(builder, 'exit'))[0]));
  expect(codes).toEqual([0, 0]);
  expect(await readFile(join(root, 'builds'), 'utf8')).toBe('x');
  expect(await readFile(join(root, 'tool-1.0.0', 'tool'), 'utf8')).toBe('whole');
});

test('a lock whose process number now belongs to another process is taken over', async () => {
  await mkdir(root, { recursive: true });
  // Our own number is alive, but a process with this start time never was.
  await writeFile(join(root, 'tool-1.0.0.lock'), JSON.stringify({ processId: process.pid, startedAt: 'long ago' }));
  expect(await readFile(await cachedOrBuilt(builds('whole'), silent, root), 'utf8')).toBe('whole');
});

test('a folder that lost its file is built again', async () => {
  await mkdir(join(root, 'tool-1.0.0'));
  await writeFile(join(root, 'tool-1.0.0', 'rest'), '');
  await cachedOrBuilt(builds('whole'), silent, root);
  expect(await readdir(join(root, 'tool-1.0.0'))).toEqual(['tool']);
});

/** Another process that builds the same entry; `body` fills the folder `directory`. Progress goes to standard error. */
function startBuilder(body: string): ChildProcess {
  const script = `
    import cache from ${JSON.stringify(join(__dirname, '../../provision/cache.ts'))};
    await cache.cachedOrBuilt(
      { name: 'tool-1.0.0', file: 'tool', check: async () => {}, build: async (directory) => { ${body} } },
      (message) => process.stderr.write(message),
      process.argv[2],
    );
    process.exit(0);
  `;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, 'builder', root], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
