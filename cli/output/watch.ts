import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { onStopSignal } from '../signals';
import { printed, printSafely, safe } from './output';

const AGAIN_AFTER_MILLISECONDS = 2_000;
/** Terminal codes: move to the top left, clear the rest of the line, clear everything below. */
const [HOME, REST_OF_LINE, BELOW] = ['\u001b[H', '\u001b[K', '\u001b[J'];
const [HIDE_CURSOR, SHOW_CURSOR] = ['\u001b[?25l', '\u001b[?25h'];

/** Add the option of commands that list changing data. */
export function withWatch(command: Command): Command {
  return command.option('--watch', 'repeat every two seconds, until Ctrl-C');
}

/** The action of a command with {@link withWatch}: runs once, or repeatedly. */
export function watched<Given extends unknown[]>(
  act: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    // Commander passes the options before the command itself.
    const options = given.at(-2) as { watch?: boolean };
    const { watch } = options;
    // Remove it, since the action may use its remaining options as a filter.
    delete options.watch;
    if (watch) await redraw(() => act(...given), AGAIN_AFTER_MILLISECONDS, untilStopped());
    else await act(...given);
  };
}

/** Aborted at Ctrl-C. */
export function untilStopped(): AbortSignal {
  const stop = new AbortController();
  onStopSignal(() => stop.abort());
  return stop.signal;
}

/** Wait. @returns whether to continue; false after the signal */
export async function waited(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  await pause(milliseconds, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/**
 * Print what `draw` prints over its previous output, until the signal. If the output is not a terminal, print it only
 * when it has changed. An error of the first call is thrown. A later error is shown, and the watch continues.
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

/** Lines that do not fit on the screen are cut, with a note, since a scrolled screen cannot be overwritten. */
class TerminalScreen {
  show(text: string): void {
    const lines = text.trimEnd().split('\n');
    const room = Math.max(1, (process.stdout.rows ?? 24) - 2);
    const over = lines.length - room;
    const shown = over > 0 ? [...lines.slice(0, room), `… ${over} more lines`] : lines;
    process.stdout.write(`${HIDE_CURSOR}${HOME}${shown.map((line) => `${line}${REST_OF_LINE}\n`).join('')}${BELOW}`);
  }

  fail(text: string, problem: string): void {
    this.show(`${safe(problem)}\n\n${text}`);
  }

  end(): void {
    process.stdout.write(SHOW_CURSOR);
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
