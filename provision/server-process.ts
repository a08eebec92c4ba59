import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { SUPERVISOR } from './supervisor';

export interface ServerCommand {
  command: string;
  args: readonly string[];
  /** Where its output goes; written again at each start. */
  logFile: string;
  /** The signal that makes it shut down in order. */
  stopSignal: NodeJS.Signals;
  /** Milliseconds it may take for that before it is killed. */
  graceMilliseconds: number;
  /** Folders to remove once it was stopped or we are gone; not when it ended by itself. */
  removeAfter: readonly string[];
  cwd?: string;
  uid?: number;
  gid?: number;
  environment?: Record<string, string>;
}

export interface ServerProcess {
  /** The process that ends when the server has ended, and not before; undefined when it could not be started. */
  readonly processId: number | undefined;
  /** Whether it has ended by itself or was stopped. */
  readonly ended: boolean;
  /** Resolves when it has. */
  readonly end: Promise<void>;
  /** Stops it and waits until it is gone. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a server that does not outlive this process, not even when this process is killed (see supervisor.ts).
 *
 * It runs in a process group of its own: Ctrl-C in a terminal goes to the whole foreground group, and the owner, not
 * the terminal, decides what stops first. It does not keep this process from ending, which ends it as well.
 */
export function startServerProcess(server: ServerCommand): ServerProcess {
  const supervisor = spawn(process.execPath, ['-e', SUPERVISOR, JSON.stringify(server)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
    // A loader or a debugger meant for this process would slow the supervisor down or stop it.
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
  // Writing to a pipe whose reader has gone is no news: `ended` tells it.
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
  };
}

/** Calls `check` until it says yes, the server has ended, or the time is over. */
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
