import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const REPOSITORY = resolve(__dirname, '../../..');

/** A real process whose output lines a test awaits, and which it may kill at any of them. */
export class TestProcess {
  readonly output: string[] = [];
  readonly errors: string[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  #exited = false;

  constructor(readonly child: ChildProcess) {
    this.#read(child.stdout!, this.output);
    this.#read(child.stderr!, this.errors);
    this.#ended = once(child, 'close').then(([code, signal]) => {
      this.#exited = true;
      this.#notify();
      return { code, signal };
    });
  }

  /** The first matching line of its output. Rejects if the process ends without it. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.output.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      if (this.#exited) throw new Error(`ended without ${pattern}:\n${[...this.output, ...this.errors].join('\n')}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Send a line to its standard input. */
  write(line: string): void {
    this.child.stdin!.write(`${line}\n`);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves when the process has ended, with how it ended. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.#ended;
  }

  #read(stream: NodeJS.ReadableStream, lines: string[]): void {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      this.#notify();
    });
  }

  #notify(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Run a TypeScript file of this repository in another process. All such processes are killed after the test. */
export function runScript(file: string, args: string[], env: Record<string, string> = {}): TestProcess {
  return runNode(['--import', 'tsx', resolve(REPOSITORY, file), ...args], env);
}

/** Run Node with these arguments, in this repository or another folder. */
export function runNode(args: string[], env: Record<string, string>, cwd = REPOSITORY): TestProcess {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...withoutServers(), ...env },
    stdio: 'pipe',
  });
  const running = new TestProcess(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await running.ended();
  });
  return running;
}

/** Run the built `escapement` command in another process. */
export function runCli(args: string[], env: Record<string, string> = {}): TestProcess {
  return runNode([resolve(REPOSITORY, 'dist/cli/main.js'), ...args], env);
}

/** {@link runCli}, and wait for the end of the process. */
export async function spawnCommand(args: string[], env: Record<string, string> = {}) {
  const command = runCli(args, env);
  const { code } = await command.ended();
  return { code, stdout: command.output.join('\n'), stderr: command.errors.join('\n') };
}

/** The environment of this process, except the servers of the tests. */
export function withoutServers(): NodeJS.ProcessEnv {
  const { DATABASE_URL, TEMPORAL_ADDRESS, ...env } = process.env;
  return { ...env, NO_COLOR: '1', FORCE_COLOR: '0' };
}
