import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { atMost } from './wait';

const COMMAND = join(__dirname, '..', '..', 'dist', 'cli', 'main.js');
const GRACE_MILLISECONDS = 10_000;

/** Loaded into the command, so that it ends when the demo is gone, even if the demo was killed. */
const END_WITH_PARENT = `process.stdin.on('error', () => {}).on('close', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume().unref();`;

/** A real `escapement run` in a process of its own. */
export class TriggerProcess {
  #ending = false;
  readonly #child: ChildProcess;

  constructor(
    readonly number: number,
    options: {
      environment: NodeJS.ProcessEnv;
      logFile: string;
      /** Called when it ends unexpectedly. */
      onFailed: (error: Error) => void;
    },
  ) {
    const log = openSync(options.logFile, 'w');
    const guard = `data:text/javascript,${encodeURIComponent(END_WITH_PARENT)}`;
    this.#child = spawn(process.execPath, ['--import', guard, COMMAND, 'run'], {
      env: options.environment,
      // It gets its own process group, so Ctrl-C only goes to the demo, which drains before it stops its trigger.
      detached: true,
      stdio: ['pipe', log, log],
      windowsHide: true,
    });
    closeSync(log);
    this.#child.stdin?.on('error', () => {});
    this.#child.once('error', options.onFailed);
    this.#child.once('exit', (code, signal) => {
      if (this.#ending) return;
      options.onFailed(
        new Error(`trigger ${number} ended by itself (${signal ?? `exit code ${code}`}): see ${options.logFile}`),
      );
    });
  }

  get processId(): number {
    return this.#child.pid ?? 0;
  }

  /** SIGKILL: the trigger cannot release anything. Resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM: the trigger finishes and links its current starts. */
  async stop(): Promise<void> {
    await atMost(GRACE_MILLISECONDS, this.#end('SIGTERM'));
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#ending = true;
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }
}

/** The demo's environment, without variables that would lead the trigger elsewhere, and with the trigger's own. */
export function triggerEnvironment(
  inherited: NodeJS.ProcessEnv,
  own: { DATABASE_URL: string; TEMPORAL_ADDRESS: string; ESCAPEMENT_SCHEMA: string; TEMPORAL_CONFIG_FILE: string },
): NodeJS.ProcessEnv {
  const rest = Object.entries(inherited).filter(([name]) => !/^(TEMPORAL|ESCAPEMENT)_/.test(name));
  return { ...Object.fromEntries(rest), ...own };
}
