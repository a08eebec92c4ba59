const WIDTH = 30;

/**
 * Shows a progress bar on one line of a terminal. Each call overwrites the line. Without a terminal it shows nothing.
 */
export function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.round((done / total) * WIDTH));
  const bar = `[${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done}/${total}`;
  process.stderr.write(`\r${bar}${done >= total ? '\n' : ''}`);
}

/** Shows the progress of long work on one line of a terminal; without a terminal it shows nothing. */
export function progressLine(sentence: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${sentence}\r`);
}
