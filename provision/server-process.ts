import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { SUPERVISOR } from './supervisor';

export interface ServerCommand {
  command: string;
  args: readonly string[];
  /** The file to which the server's output goes; each start overwrites it. */
  logFile: string;
  /** The signal that makes the server shut down in an orderly way. */
  stopSignal: NodeJS.Signals;
  /** How many milliseconds the shutdown may take; after that the server is killed. */
  graceMilliseconds: number;
  /** Folders that are removed after a stop, or after this process is gone; they stay if the server ended by itself. */
  removeAfter: readonly string[];
  cwd?: string;
  uid?: number;
  gid?: number;
  environment?: Record<string, string>;
}

export interface ServerProcess {
  /** The ID of the supervisor, which ends with the server; undefined if the supervisor could not be started. */
  readonly processId: number | undefined;
  readonly ended: boolean;
  /** Resolves when the server has ended, by itself, by a stop or by a crash. */
  readonly end: Promise<void>;
  /** Stops the server, and waits until it is gone. The method may be called twice. */
  stop(): Promise<void>;
  /**
   * Kills the server as a crash would, and waits until it is gone. Files that the server has written stay. `crash` does
   * not work on Windows.
   */
  crash(): Promise<void>;
}

/**
 * Starts a server that ends with this process, even if this process is killed (see supervisor.ts).
 *
 * The server has its own process group. Ctrl-C in a terminal reaches the whole foreground process group, but the owner
 * must decide in which order processes stop. The server does not keep this process alive.
 */
export function startServerProcess(server: ServerCommand): ServerProcess {
  const supervisor = spawn(process.execPath, ['-e', SUPERVISOR, JSON.stringify(server)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
    // A loader or debugger in NODE_OPTIONS could slow down or stop the supervisor.
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
  // Errors of writing to a closed pipe are ignored, since `ended` reports the end.
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

export async function tailOf(logFile: string, lines = 4): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trim().split(/\r?\n/).slice(-lines).join(' | ');
}
