import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Shorter than the time that a connection waits for its password, so that the error can name the password command. */
const TIMEOUT_MILLISECONDS = 9_000;

/** Returns a function that runs the user's command and returns the printed password; undefined without a command. */
export function passwordBy(command: string | undefined): (() => Promise<string>) | undefined {
  if (!command) return undefined;
  return async () => {
    const password = await outputOf(command);
    if (password === '') throw new Error(`'${command}' printed no password`);
    return password;
  };
}

async function outputOf(command: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { timeout: TIMEOUT_MILLISECONDS });
    return stdout.replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`'${command}' failed (${reasonOf(error as ExecError)})`, { cause: error });
  }
}

type ExecError = Error & { code?: unknown; killed?: boolean; stderr?: string };

function reasonOf({ code, killed, stderr, message }: ExecError): string {
  if (killed) return `it ran for longer than ${TIMEOUT_MILLISECONDS / 1_000} seconds`;
  return stderr?.trim().split('\n').at(-1) || (typeof code === 'number' ? `exit code ${code}` : message);
}
