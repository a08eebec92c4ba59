import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../project.mjs';

/**
 * The tests that check a file, in order: the later ones run only if the mutant survived the earlier ones. The tests of a
 * room mostly wait for servers, so several of its files run at once.
 */
export function suitesOf(file) {
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

/** The process groups of suites that are running. */
const running = new Set();

/** Run a suite in a copy of the sources. Resolves to `survived`, `killed` or `timed out`. */
export function runSuite({ name, project, workers }, copy, atMostMilliseconds) {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--bail', '1', '--maxWorkers', String(workers), '--project', project, name];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', detached: true });
    running.add(child.pid);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      process.kill(-child.pid, 'SIGKILL');
    }, atMostMilliseconds);
    child.once('close', (code) => {
      clearTimeout(timer);
      running.delete(child.pid);
      if (timedOut) resolve('timed out');
      else resolve(code === 0 ? 'survived' : 'killed');
    });
  });
}

/** End all suites that are running. */
export function endSuites() {
  for (const pid of running) process.kill(-pid, 'SIGKILL');
}
