import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from './wait';

/**
 * This code is loaded into each child process and its threads. The code ends the child when the bench is gone, even if
 * the bench was killed.
 */
const END_WITH_PARENT = `import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  process.stdin.on('error', () => {}).on('close', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume().unref();
}`;
const GRACE_MILLISECONDS = 10_000;

/** A Node process that the bench starts. Its output goes to a file. */
export class Child {
  readonly #child: ChildProcess;
  readonly #log = openNamelessFile();
  #stopped = false;

  /**
   * @param args a script with its arguments; the TypeScript loader is added for a TypeScript file
   * @param options.ownSession start the process in a session of its own, as a service manager does
   */
  constructor(
    private readonly what: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    { ownSession = false }: { ownSession?: boolean } = {},
  ) {
    const guard = `data:text/javascript,${encodeURIComponent(END_WITH_PARENT)}`;
    const loader = args[0]?.endsWith('.ts') ? ['--import', pathToFileURL(require.resolve('tsx')).href] : [];
    this.#child = spawn(process.execPath, ['--import', guard, ...loader, ...args], {
      env: { ...withoutServers(), ...environment },
      stdio: ['pipe', this.#log, this.#log],
      detached: ownSession,
      windowsHide: true,
    });
    this.#child.stdin!.on('error', () => {});
  }

  get processId(): number {
    return this.#child.pid!;
  }

  /** All output of the process so far. */
  log(): string {
    const bytes = Buffer.alloc(fstatSync(this.#log).size);
    const length = readSync(this.#log, bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, length);
  }

  /**
   * Resolves when the process's output contains this text. @throws {Error} with the last lines of output, if the
   * process ends first, or if the text does not come within 60 s
   */
  async says(text: string): Promise<void> {
    await until(
      `${this.what} to say "${text}"`,
      async () => {
        const log = this.log();
        if (log.includes(text)) return true;
        if (this.ended) throw new Error(`${this.what} ended: ${log.trim().split('\n').slice(-5).join(' | ')}`);
        return false;
      },
      { everyMilliseconds: 20, atMostSeconds: 60 },
    );
  }

  /** Freeze the process until `thaw`; `kill` ends it even while it is frozen. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /**
   * Send SIGTERM and, after 10 s, SIGKILL. The method may be called twice. @returns the output of the process at the
   * first call, and an empty text at later ones
   */
  async stop(): Promise<string> {
    if (this.#stopped) return '';
    this.#stopped = true;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MILLISECONDS);
    await this.#end('SIGTERM');
    clearTimeout(timer);
    const log = this.log();
    closeSync(this.#log);
    return log;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.ended) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }

  /** Whether the process has ended, by itself or by a signal. */
  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

/** A file without a name: its space is freed when no process has it open. */
export function openNamelessFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-bench-'));
  const file = openSync(join(folder, 'log'), 'w+');
  rmSync(folder, { recursive: true });
  return file;
}

/** The environment of this process, without variables that name other servers. */
function withoutServers(): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL|ESCAPEMENT)_|^DATABASE_URL$/.test(name));
  return Object.fromEntries(rest);
}
