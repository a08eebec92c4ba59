import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { onStopSignal } from '../signals';
import { printed, printSafely, safe } from './output';

const AGAIN_AFTER_MILLISECONDS = 2_000;
/** Terminal codes that move the cursor to the top left, clear the rest of the line, and clear everything below. */
const [HOME, REST_OF_LINE, BELOW] = ['\u001b[H', '\u001b[K', '\u001b[J'];
const [HIDE_CURSOR, SHOW_CURSOR] = ['\u001b[?25l', '\u001b[?25h'];
const [CUT_LINES, WRAP_LINES] = ['\u001b[?7l', '\u001b[?7h'];

export function withWatch(command: Command): Command {
  return command.option('--watch', 'repeat every two seconds, until Ctrl-C');
}

/** Wraps the action of a command with {@link withWatch}: the action runs once or, with `--watch`, repeatedly. */
export function watched<Given extends unknown[]>(
  act: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    // Commander passes the options as the last argument but one, before the command itself.
    const options = given.at(-2) as { watch?: boolean };
    const { watch } = options;
    // The option is removed, since the action may use its remaining options as a filter.
    delete options.watch;
    if (watch) await redraw(() => act(...given), AGAIN_AFTER_MILLISECONDS, untilStopped());
    else await act(...given);
  };
}

/** Returns a signal that is aborted at Ctrl-C or SIGTERM. */
export function untilStopped(): AbortSignal {
  const stop = new AbortController();
  onStopSignal(() => stop.abort());
  return stop.signal;
}

/** Wait for a time, or until the signal. @returns whether to continue: false after the signal */
export async function waited(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  await pause(milliseconds, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/**
 * Print the output of `draw` over its previous output, again and again until the signal. If the output is not a
 * terminal, it is printed only when it has changed. If the first call fails, its error is thrown. If a later call
 * fails, its error is shown and the watch continues.
 */
export async function redraw(draw: () => Promise<void>, everyMilliseconds: number, signal: AbortSignal): Promise<void> {
  const screen = process.stdout.isTTY ? new TerminalScreen() : new Pipe();
  let text = await printed(draw);
  screen.show(text);
  try {
    while (await waited(everyMilliseconds, signal)) {
      try {
        text = await printed(draw);
        screen.show(text);
      } catch (error) {
        screen.fail(text, `escapement: ${(error as Error).message}; trying again`);
      }
    }
  } finally {
    screen.end();
  }
}

/**
 * Writes lines to the terminal. Lines that do not fit on the screen are left out, with a note, and the terminal cuts
 * lines that are wider than it, since a scrolled screen cannot be overwritten.
 */
class TerminalScreen {
  show(text: string): void {
    const lines = text.trimEnd().split('\n');
    const room = Math.max(1, (process.stdout.rows ?? 24) - 2);
    const over = lines.length - room;
    const shown = over > 0 ? [...lines.slice(0, room), `… ${over} more lines`] : lines;
    const drawn = shown.map((line) => `${line}${REST_OF_LINE}\n`).join('');
    process.stdout.write(`${HIDE_CURSOR}${CUT_LINES}${HOME}${drawn}${BELOW}`);
  }

  fail(text: string, problem: string): void {
    this.show(`${safe(problem)}\n\n${text}`);
  }

  end(): void {
    process.stdout.write(`${WRAP_LINES}${SHOW_CURSOR}`);
  }
}

class Pipe {
  #shown: string | undefined;

  show(text: string): void {
    if (text !== this.#shown) process.stdout.write(text);
    this.#shown = text;
  }

  fail(_: string, problem: string): void {
    printSafely(process.stderr, [problem]);
  }

  end(): void {}
}
