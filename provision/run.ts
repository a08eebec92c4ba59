import { type SpawnOptions, spawn } from 'node:child_process';

export interface RunOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  /** Variables that are added to the inherited environment. */
  environment?: Record<string, string>;
  /** Aborting this signal kills the command. */
  signal?: AbortSignal;
  /** A function that is called with each complete line of the command's output, from both streams. */
  onLine?: (line: string) => void;
}

export interface RunResult {
  /** The exit code; 127 if the command could not be started, 1 if a signal ended it. */
  code: number;
  /** The end of both output streams, at most 16,384 characters. */
  output: string;
}

/** A command that fails or cannot be started does not reject the promise. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { environment, signal, onLine, ...spawnOptions } = options;
  return new Promise((resolve) => {
    let output = '';
    let unfinishedLine = '';
    const child = spawn(command, args, {
      ...spawnOptions,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const receive = (chunk: string) => {
      output = (output + chunk).slice(-16_384);
      const lines = (unfinishedLine + chunk).split(/\r?\n/);
      unfinishedLine = lines.pop() ?? '';
      for (const line of lines) onLine?.(line);
    };
    child.stdout.setEncoding('utf8').on('data', receive);
    child.stderr.setEncoding('utf8').on('data', receive);
    const abort = () => child.kill('SIGKILL');
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    const finish = (code: number) => {
      signal?.removeEventListener('abort', abort);
      resolve({ code, output: output.trim() });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(127);
    });
    child.once('close', (code) => finish(code ?? 1));
  });
}

/** The last line of an output, for an error message; a long line is shortened in the middle. */
export function lastLine(output: string): string {
  const line = output.trim().split(/\r?\n/).at(-1)?.trim() ?? '';
  return line.length <= 200 ? line : `${line.slice(0, 90)} … ${line.slice(-100)}`;
}
