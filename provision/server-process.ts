import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { SUPERVISOR } from './supervisor';

export interface ServerCommand {
  command: string;
  args: readonly string[];
  /** Log file of its output; overwritten at each start. */
  logFile: string;
  /** Signal for an orderly shutdown. */
  stopSignal: NodeJS.Signals;
  /** Time for that in milliseconds; after it the server is killed. */
  graceMilliseconds: number;
  /** Folders to remove after a stop, or after this process is gone; not if the server ended by itself. */
  removeAfter: readonly string[];
  cwd?: string;
  uid?: number;
  gid?: number;
  environment?: Record<string, string>;
}

export interface ServerProcess {
  /** Process whose end means that the server has ended; undefined if it could not be started. */
  readonly processId: number | undefined;
  /** Whether the server has ended, by itself or by a stop. */
  readonly ended: boolean;
  /** Resolves when it has. */
  readonly end: Promise<void>;
  /** Stop it, and wait until it is gone. Safe to call twice. */
  stop(): Promise<void>;
  /** Kills it as a crash would, and waits until it is gone. Files that it has written stay. Not on Windows. */
  crash(): Promise<void>;
}

/**
 * Start a server that ends with this process, even if this process is killed (see supervisor.ts).
 *
 * It has its own process group. Ctrl-C in a terminal reaches the whole foreground group, but the owner must decide in
 * which order things stop. It does not keep this process alive.
 */
export function startServerProcess(server: ServerCommand): ServerProcess {
  const supervisor = spawn(process.execPath, ['-e', SUPERVISOR, JSON.stringify(server)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
    // A loader or debugger of this process would slow down or stop the supervisor.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let ended = false;
  const end = once(supervisor, 'exit').then(
    () => {
      ended = true;
    },
    () => {
      ended = true;
    },
  );
  // Ignore errors of writing to a closed pipe, since `ended` reports the end.
  supervisor.stdin.on('error', () => undefined);
  supervisor.unref();
  (supervisor.stdin as unknown as { unref(): void }).unref();
  return {
    processId: supervisor.pid,
    get ended() {
      return ended;
    },
    end,
    async stop() {
      if (ended) return;
      supervisor.ref();
      supervisor.stdin.end();
      await end;
    },
    async crash() {
      if (ended) return;
      supervisor.ref();
      supervisor.kill('SIGUSR2');
      await end;
    },
  };
}

/** Call `check` until it returns true, the server has ended, or the time is over. */
export async function waitUntilReady(
  server: ServerProcess,
  check: () => Promise<boolean>,
  timeoutMilliseconds: number,
): Promise<'ready' | 'ended' | 'timed out'> {
  const deadline = Date.now() + timeoutMilliseconds;
  while (Date.now() < deadline) {
    if (server.ended) return 'ended';
    if (await check()) return 'ready';
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return 'timed out';
}

/** The last lines of a server's log, for an error message. */
export async function tailOf(logFile: string, lines = 4): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trim().split(/\r?\n/).slice(-lines).join(' | ');
}
