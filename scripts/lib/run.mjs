import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, say } from './project.mjs';

/** Run npm: the npm that started this process, if there is one. */
export function npm(args, options) {
  const self = process.env.npm_execpath;
  if (self?.endsWith('.js')) return run(process.execPath, [self, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}

/** Run a program of a package in node_modules, by the path of its JavaScript file. */
export function node(script, args, options) {
  return run(process.execPath, [join(ROOT, 'node_modules', script), ...args], options);
}

/**
 * Run a command to its end, in the repository's root unless `cwd` says otherwise. Its output goes to this process's
 * standard error, unless `stdout` names another place for standard output. With `quiet` it goes into the result, and
 * `onLine` receives each line of standard output as it is written.
 * Resolves to `{ code, output }`; the code is 1 if a signal ended it.
 */
export function run(command, args, { quiet = false, onLine, shell = false, stdout = process.stderr, cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['inherit', stdout, 'inherit'];
    const child = spawn(command, args, { cwd, stdio, shell });
    let output = '';
    const receive = (chunk) => {
      output += chunk;
    };
    child.stdout?.setEncoding('utf8').on('data', receive);
    child.stderr?.setEncoding('utf8').on('data', receive);
    if (onLine) createInterface({ input: child.stdout }).on('line', onLine);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Report every ten seconds that the work is still running, and for how long. */
export async function withProgress(what, work) {
  const startedAt = Date.now();
  say(`${what} …`);
  const timer = setInterval(() => say(`${what} … ${Math.round((Date.now() - startedAt) / 1000)} s`), 10_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
