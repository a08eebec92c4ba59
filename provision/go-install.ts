import { ProvisionError } from './errors';
import { lastLine, run } from './run';
import { tick } from './ways';

/** The reason why Go cannot be used; undefined if it can. */
export async function goIsMissing(): Promise<string | undefined> {
  return (await run('go', ['version'])).code === 0 ? undefined : 'there is no go on the PATH';
}

/**
 * Builds a Go program, which is named with its version, into a folder.
 *
 * @throws ProvisionError with the last line that Go wrote
 */
export async function goInstall(
  programPackage: string,
  directory: string,
  onProgress: (message: string) => void,
): Promise<void> {
  let packages = 0;
  const stopTicking = tick((seconds) => onProgress(`${seconds} s, ${packages} packages compiled`));
  // With -v Go names each package as it compiles it.
  const { code, output } = await run('go', ['install', '-v', programPackage], {
    environment: { GOBIN: directory },
    onLine: () => {
      packages++;
    },
  });
  stopTicking();
  if (code !== 0) throw new ProvisionError(lastLine(output));
}
