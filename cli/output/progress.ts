const WIDTH = 30;

/** A bar on a person's terminal, on one line that is written over; nothing where no person watches. */
export function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.round((done / total) * WIDTH));
  const bar = `[${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done}/${total}`;
  process.stderr.write(`\r${bar}${done >= total ? '\n' : ''}`);
}

/** How far long work has come, on one line of a person's terminal; nothing where no person watches. */
export function progressLine(sentence: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${sentence}\r`);
}
