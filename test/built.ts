import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Tests of the command run what is shipped. Quick when nothing has changed. */
export default async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs']);
}
