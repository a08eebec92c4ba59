import { readdir, rename, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ProvisionError } from './errors';
import { lastLine, run } from './run';

/**
 * The SDK downloads a server only when it starts one, in native code that cannot be interrupted. So a separate process
 * makes the download into a folder of Escapement. The downloaded file is kept, and run with Escapement's own arguments.
 */
const DOWNLOADER = `
const { TestWorkflowEnvironment } = require(process.argv[1]);
const server = { executable: { type: 'cached-download', downloadDir: process.argv[3] } };
TestWorkflowEnvironment[process.argv[2]]({ server }).then((environment) => environment.teardown()).then(
  () => process.exit(0),
  (error) => { console.error(error.message); process.exit(1); },
);
`;

/** If no byte arrives for this many milliseconds, the network counts as closed. */
const STALL_MILLISECONDS = 20_000;
const LOOK_EVERY_MILLISECONDS = 500;
const REPORT_EVERY_MILLISECONDS = 5_000;

export interface SdkDownload {
  /** The name of the SDK's function that downloads and starts the server. */
  starter: 'createLocal' | 'createTimeSkipping';
  file: string;
}

/** The version of the installed SDK, which decides the server's version; undefined if the SDK is not installed. */
export function sdkVersion(): string | undefined {
  try {
    return (createRequire(__filename)('@temporalio/testing/package.json') as { version: string }).version;
  } catch {
    return undefined;
  }
}

/** @throws ProvisionError if no complete file arrives, because nothing arrives for 20 s or the SDK fails */
export async function downloadThroughSdk(
  download: SdkDownload,
  directory: string,
  onProgress: (message: string) => void,
): Promise<void> {
  const testing = createRequire(__filename).resolve('@temporalio/testing');
  const stop = new AbortController();
  const watch = watchGrowth(directory, onProgress, () => stop.abort());
  const { output } = await run(process.execPath, ['-e', DOWNLOADER, testing, download.starter, directory], {
    signal: stop.signal,
    environment: { NODE_OPTIONS: '' },
  });
  clearInterval(watch);
  // Only the file is needed. It does not matter whether the SDK gave up waiting for the server's start.
  const complete = (await readdir(directory)).find((name) => !name.endsWith('.downloading'));
  if (complete === undefined) {
    throw new ProvisionError(stop.signal.aborted ? 'the download stood still for 20 s' : lastLine(output));
  }
  await rename(join(directory, complete), join(directory, download.file));
}

function watchGrowth(directory: string, onProgress: (message: string) => void, onStall: () => void): NodeJS.Timeout {
  let bytes = 0;
  let grewAt = Date.now();
  let reportedAt = Date.now();
  return setInterval(async () => {
    const now = Date.now();
    const size = await sizeOf(directory);
    if (size !== bytes) {
      bytes = size;
      grewAt = now;
    }
    if (now - grewAt > STALL_MILLISECONDS) onStall();
    if (now - reportedAt < REPORT_EVERY_MILLISECONDS) return;
    reportedAt = now;
    onProgress(bytes === 0 ? 'waiting for the download to begin' : `${Math.round(bytes / 1_048_576)} MiB downloaded`);
  }, LOOK_EVERY_MILLISECONDS);
}

async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(directory, name)).then(
      (found) => found.size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
