import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TestProcess, withoutServers } from '../support/processes/child';

const SCRIPT = `
  const { stopSignal } = require(${JSON.stringify(resolve(__dirname, '../../examples/demo/signals.ts'))});
  const stop = stopSignal({ startedByNpm: true });
  // One process gets both signals of a Ctrl-C within the first second of this clock.
  let now = 0;
  Date.now = () => now;
  stop.addEventListener('abort', () => {
    now = 1_000;
    console.log('stopping');
  });
  process.on('SIGTERM', () => process.exit(1));
  process.on('exit', (code) => console.log('exit ' + code));
  // An open server keeps the process alive, as the demo's connections do.
  require('node:net').createServer().listen(0, '127.0.0.1', () => console.log('process ' + process.pid));
`;

it('after npm is gone, the demo stops, and one signal ends it at once', async () => {
  const npm = new TestProcess(
    spawn('sh', ['-c', '"$0" --import tsx --eval "$1" & wait', process.execPath, SCRIPT], {
      env: withoutServers(),
      stdio: 'pipe',
    }),
  );
  const demo = Number((await npm.line(/^process /)).split(' ')[1]);
  onTestFinished(() => {
    if (!npm.output.some((line) => line.startsWith('exit '))) process.kill(demo, 'SIGKILL');
  });
  npm.kill('SIGKILL');
  await npm.line(/^stopping/);
  process.kill(demo, 'SIGTERM');
  expect(await npm.line(/^exit/)).toBe('exit 143');
});
