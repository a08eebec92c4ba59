import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, say } from './project.mjs';

/** Runs npm, the one that runs us if there is one. */
export function npm(args, options) {
  const self = process.env.npm_execpath;
  if (self?.endsWith('.js')) return run(process.execPath, [self, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}

/** Runs a program of a package in node_modules, given the path of its JavaScript file there. */
export function node(script, args, options) {
  return run(process.execPath, [join(ROOT, 'node_modules', script), ...args], options);
}

/**
 * Runs a command to its end, in the repository's root unless `cwd` says otherwise; its output goes to our standard error, or with `quiet` into the
 * result. Resolves to `{ code, output }`; a signal that ended it counts as code 1.
 */
export function run(command, args, { quiet = false, shell = false, stdout = process.stderr, cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['inherit', stdout, 'inherit'];
    const child = spawn(command, args, { cwd, stdio, shell });
    let output = '';
    const receive = (chunk) => {
      output += chunk;
    };
    child.stdout?.setEncoding('utf8').on('data', receive);
    child.stderr?.setEncoding('utf8').on('data', receive);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Says every few seconds that the work still goes on, and since when. */
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
