const WIDTH = 30;

/** A progress bar on one line of a terminal that is overwritten; nothing without a terminal. */
export function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.round((done / total) * WIDTH));
  const bar = `[${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done}/${total}`;
  process.stderr.write(`\r${bar}${done >= total ? '\n' : ''}`);
}

/** The progress of long work, on one line of a terminal; nothing without a terminal. */
export function progressLine(sentence: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${sentence}\r`);
}
