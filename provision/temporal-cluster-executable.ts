import { ProvisionError } from './errors';
import { goInstall, goIsMissing } from './go-install';
import { lastLine, run } from './run';
import { firstWay, type Way } from './ways';

/** The newest and the oldest version of the server with which Escapement is tested. */
export const SERVER_VERSIONS = { newest: '1.32.1', oldest: '1.29.1' } as const;
const MODULE = `go.temporal.io/server/cmd`;
const SUFFIX = process.platform === 'win32' ? '.exe' : '';
const SERVER = `server${SUFFIX}`;

/**
 * The tool that creates the server's tables. The tool comes with the server, and contains the schema of that version.
 */
export const SQL_TOOL = `sql${SUFFIX}`;

const INSTRUCTIONS = ['install Go 1.26.8 or newer, to build the Temporal server once (about 5 minutes)'];

/**
 * {@link SQL_TOOL} lies in the folder of the server.
 *
 * @throws NoWayFoundError
 */
export function temporalClusterExecutable(
  version: string,
  onProgress: (message: string) => void,
): Promise<{ executablePath: string; source: string }> {
  return firstWay('the Temporal server for Postgres', [goBuild(version)], INSTRUCTIONS, [], onProgress);
}

const goBuild = (version: string): Way => ({
  source: 'go install',
  isClosed: goIsMissing,
  entry: (onProgress) => ({
    name: `temporal-server-${version}`,
    file: SERVER,
    async build(directory) {
      onProgress('building the Temporal server and its tool for tables once; this takes about 5 minutes');
      for (const program of ['server', 'tools/sql']) {
        await goInstall(`${MODULE}/${program}@v${version}`, directory, onProgress);
      }
    },
    async check(directory) {
      for (const file of [SERVER, SQL_TOOL]) {
        const { code, output } = await run(`${directory}/${file}`, ['--version']);
        if (code !== 0) throw new ProvisionError(`what was built does not run: ${lastLine(output)}`);
      }
    },
  }),
});
