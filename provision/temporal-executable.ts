import { ProvisionError } from './errors';
import { goInstall, goIsMissing } from './go-install';
import { lastLine, run } from './run';
import { downloadThroughSdk, sdkVersion } from './sdk-download';
import { firstWay, type Way } from './ways';

/**
 * A version of the Temporal CLI that `go install` can build. Some later versions replace modules with local folders,
 * which `go install` refuses.
 */
const GO_VERSION = '1.5.1';
const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${GO_VERSION}`;
const FILE = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

const INSTRUCTIONS = [
  'start a Temporal server and set TEMPORAL_ADDRESS to its host:port',
  'put the Temporal CLI on the PATH (https://docs.temporal.io/cli)',
  'install @temporalio/testing and let it reach its download',
  'install Go 1.25 or newer, to build the Temporal CLI once (about 3 minutes)',
];

/**
 * The Temporal CLI contains a whole server. It comes from the PATH, else from what an earlier run downloaded or built,
 * else from the SDK's download, else it is built with Go.
 *
 * @throws NoWayFoundError
 */
export async function temporalExecutable(
  triedBefore: readonly string[],
  onProgress: (message: string) => void,
): Promise<{ executablePath: string; source: string }> {
  const onPath = await run('temporal', ['--version']);
  if (onPath.code === 0) return { executablePath: 'temporal', source: 'PATH' };
  const tried = [...triedBefore, `no usable temporal on the PATH (${lastLine(onPath.output)})`];
  return firstWay('a Temporal server', [sdkDownload, goBuild], INSTRUCTIONS, tried, onProgress);
}

const sdkDownload: Way = {
  source: "the SDK's download",
  isClosed: async () => (sdkVersion() ? undefined : '@temporalio/testing is not installed'),
  entry: (onProgress) => ({
    name: `temporal-sdk-${sdkVersion()}`,
    file: FILE,
    build: (directory) => downloadThroughSdk({ starter: 'createLocal', file: FILE }, directory, onProgress),
    check: runs,
  }),
};

const goBuild: Way = {
  source: 'go install',
  isClosed: goIsMissing,
  entry: (onProgress) => ({
    name: `temporal-${GO_VERSION}`,
    file: FILE,
    async build(directory) {
      onProgress('building the Temporal CLI once: some 1,460 packages, in about 3 minutes on two idle cores');
      await goInstall(GO_PACKAGE, directory, onProgress);
    },
    check: runs,
  }),
};

async function runs(directory: string): Promise<void> {
  const { code, output } = await run(`${directory}/${FILE}`, ['--version']);
  if (code !== 0) throw new ProvisionError(`what arrived does not run: ${lastLine(output)}`);
}
