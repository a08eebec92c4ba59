import { access, chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProvisionError } from './errors';
import { freePort, portAnswers } from './ports';
import { lastLine, run } from './run';
import { downloadThroughSdk, sdkVersion } from './sdk-download';
import { startServerProcess, waitUntilReady } from './server-process';
import { firstWay, tick, type Way } from './ways';

export interface TestServerOptions {
  /** A function that is called with messages for a person about slow steps. By default nothing is reported. */
  onProgress?: (message: string) => void;
}

const MAVEN_VERSION = '1.38.0';
const IS_WINDOWS = process.platform === 'win32';

const INSTRUCTIONS = [
  'install @temporalio/testing and let it reach its download',
  'install Java 11 or newer and Maven, which then fetches the server once',
];

/**
 * Start the server with
 * `TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path: executablePath } } })`.
 *
 * @throws NoWayFoundError if there is no way to get the server; the error lists the ways that were tried
 */
export function provideTestServer(options: TestServerOptions): Promise<{ executablePath: string; source: string }> {
  return firstWay(
    'the time-skipping test server',
    [sdkDownload, maven],
    INSTRUCTIONS,
    [],
    options.onProgress ?? (() => {}),
  );
}

const BINARY = IS_WINDOWS ? 'temporal-test-server.exe' : 'temporal-test-server';

const sdkDownload: Way = {
  source: "the SDK's download",
  isClosed: async () => (sdkVersion() ? undefined : '@temporalio/testing is not installed'),
  entry: (onProgress) => ({
    name: `temporal-test-server-sdk-${sdkVersion()}`,
    file: BINARY,
    build: (directory) => downloadThroughSdk({ starter: 'createTimeSkipping', file: BINARY }, directory, onProgress),
    check: (directory) => runs(join(directory, BINARY)),
  }),
};

const SCRIPT = IS_WINDOWS ? 'temporal-test-server.cmd' : 'temporal-test-server';
const MAIN_CLASS = 'io.temporal.testserver.TestServer';
/** The SDK waits 5 s for the server, so its start time matters more than its later speed. */
const QUICK_START = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
/** Java uses an archive only with the class path that made it, so both are relative to the entry's folder. */
const CLASS_PATH = 'lib/*';
const ARCHIVE = 'classes.jsa';

function scriptText(javaOptions: readonly string[]): string {
  const options = javaOptions.join(' ');
  return IS_WINDOWS
    ? `@java ${options} -cp "%~dp0lib\\*" ${MAIN_CLASS} %*\r\n`
    : `#!/bin/sh\ncd "$(dirname "$0")" && exec java ${options} -cp "${CLASS_PATH}" ${MAIN_CLASS} "$@"\n`;
}

/**
 * Saves the classes that a start loads, so that later starts take less than half the CPU. Returns the options that use
 * them: none if this Java cannot save them (before 13), or on Windows, where a server cannot be asked to end.
 */
async function archiveClasses(directory: string): Promise<string[]> {
  if (IS_WINDOWS) return [];
  const port = await freePort();
  const server = startServerProcess({
    command: 'java',
    args: [...QUICK_START, `-XX:ArchiveClassesAtExit=${ARCHIVE}`, '-cp', CLASS_PATH, MAIN_CLASS, String(port)],
    cwd: directory,
    logFile: join(directory, 'archive.log'),
    stopSignal: 'SIGTERM',
    graceMilliseconds: 30_000,
    removeAfter: [],
  });
  await waitUntilReady(server, () => portAnswers(port), 30_000);
  await server.stop();
  return access(join(directory, ARCHIVE)).then(
    () => [`-XX:SharedArchiveFile=${ARCHIVE}`],
    () => [],
  );
}

const maven: Way = {
  source: 'Maven',
  async isClosed() {
    if ((await run('java', ['-version'])).code !== 0) return 'there is no java on the PATH';
    if ((await runMaven(['-version'])).code !== 0) return 'there is no mvn on the PATH';
    return undefined;
  },
  entry: (onProgress) => ({
    name: `temporal-test-server-${MAVEN_VERSION}-archived`,
    file: SCRIPT,
    async build(directory) {
      const project = join(directory, 'pom.xml');
      await writeFile(project, POM);
      await mkdir(join(directory, 'lib'));
      const stopTicking = tick((seconds) => onProgress(`fetching its libraries, ${seconds} s`));
      const goal = [
        'dependency:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${join(directory, 'lib')}`,
      ];
      const { code, output } = await runMaven(['-B', '-q', '-Dstyle.color=never', '-f', project, ...goal]);
      stopTicking();
      // Maven's first line says what went wrong; its last line only says where to read about it.
      if (code !== 0) throw new ProvisionError(lastLine(/\[ERROR.*$/m.exec(output)?.[0] ?? output));
      await writeFile(join(directory, SCRIPT), scriptText([...QUICK_START, ...(await archiveClasses(directory))]));
      await chmod(join(directory, SCRIPT), 0o755);
    },
    check: (directory) => runs(join(directory, SCRIPT)),
  }),
};

/** Checks that the program runs: without a port it only prints its usage. */
async function runs(executablePath: string): Promise<void> {
  const { output } = await run(executablePath, [], { signal: AbortSignal.timeout(30_000) });
  if (!output.includes('Usage')) throw new ProvisionError(`what arrived does not run: ${lastLine(output)}`);
}

/** On Windows mvn is a script, so it needs a shell. */
function runMaven(args: string[]) {
  return IS_WINDOWS ? run('cmd', ['/c', 'mvn', ...args]) : run('mvn', args);
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>escapement</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${MAVEN_VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;
