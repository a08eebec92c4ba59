import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { onStopSignal } from '../signals';
import { printed, printSafely, safe } from './output';

const AGAIN_AFTER_MILLISECONDS = 2_000;
/** What a terminal takes for: go to the upper left; wipe the rest of the line; wipe what is below. */
const [HOME, REST_OF_LINE, BELOW] = ['\u001b[H', '\u001b[K', '\u001b[J'];
const [HIDE_CURSOR, SHOW_CURSOR] = ['\u001b[?25l', '\u001b[?25h'];

/** Add the option of commands that list what changes. */
export function withWatch(command: Command): Command {
  return command.option('--watch', 'read it again each two seconds, until Ctrl-C');
}

/** The action of a command with {@link withWatch}: once, or again and again. */
export function watched<Given extends unknown[]>(
  act: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    // Commander hands over the options before the command itself.
    const options = given.at(-2) as { watch?: boolean };
    const { watch } = options;
    // What is left of an action's options may be a filter.
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

/** Wait. @returns whether to go on: false once the signal has come */
export async function waited(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  await pause(milliseconds, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/**
 * Print what `draw` prints over what it printed before, until the signal. Where the output is no terminal, it prints only
 * what has changed. A failure of the first call ends it. A later failure is shown, and the watch goes on.
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

/** What does not fit below is left out, and said: a screen that scrolls cannot be drawn over. */
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
