/**
 * The program of a supervisor, run as `node -e SUPERVISOR <settings as JSON>`. A supervisor is a process between a
 * server and the parent, which is the process that wants the server.
 *
 * The supervisor's standard input is a pipe whose other end only the parent holds. The pipe closes when the parent asks
 * for a stop, and also if the parent is killed at any moment. The supervisor then ends the server and removes the
 * server's temporary folders. The program is a string and not a module, because it must start in the same way from
 * compiled output, a TypeScript loader and a test runner.
 */
export const SUPERVISOR = `
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const settings = JSON.parse(process.argv[1]);
const log = fs.openSync(settings.logFile, 'w');
let ending = false;

function finish(code) {
  // Only a requested end removes the data, since a server that ended by itself may be started again on the same data.
  if (ending) for (const path of settings.removeAfter) fs.rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}
function end() {
  if (ending) return;
  ending = true;
  server.kill(settings.stopSignal);
  setTimeout(() => server.kill('SIGKILL'), settings.graceMilliseconds);
}

const server = spawn(settings.command, settings.args, {
  cwd: settings.cwd,
  uid: settings.uid,
  gid: settings.gid,
  env: { ...process.env, ...settings.environment },
  stdio: ['ignore', log, log],
  windowsHide: true,
});
server.on('error', (error) => { fs.writeSync(log, error.message + '\\n'); finish(127); });
server.on('exit', (code) => finish(code === null ? 1 : code));
process.stdin.on('error', end).on('close', end).resume();
process.on('SIGTERM', end).on('SIGINT', end);
// As if it had crashed: its folder stays.
process.on('SIGUSR2', () => server.kill('SIGKILL'));
`;
