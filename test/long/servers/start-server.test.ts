import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startSkippingServer } from '../../../testing/start-server';

/** A program that is the time-skipping server from its `from`-th start on, and until then one that never listens. */
function slowServer(from: number): { path: string; starts(): number } {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-slow-server-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [path, log] = [join(folder, 'server'), join(folder, 'starts')];
  writeFileSync(log, '');
  writeFileSync(
    path,
    `#!/bin/sh\necho >> '${log}'\n[ $(wc -l < '${log}') -lt ${from} ] && exec sleep 6\nexec '${inject('testServerPath')}' "$@"\n`,
  );
  chmodSync(path, 0o755);
  return { path, starts: () => readFileSync(log, 'utf8').length };
}

it('a server that did not start in the five seconds which the SDK gives it is started once more', async () => {
  const server = slowServer(2);
  const environment = await startSkippingServer(server.path);
  expect(await environment.currentTimeMs()).toBeGreaterThan(0);
  await environment.teardown();
  expect(server.starts()).toBeGreaterThanOrEqual(2);
});
