/** Commands that only print. Once nobody reads their output, there is nothing left to do. */
const PRINTING = new Set([
  'completion',
  'describe',
  'explain',
  'groups',
  'list',
  'next',
  'show',
  'silences',
  'stats',
  'top',
  'versions',
]);

let isPrinting = false;

/** Set which command this process runs. The name is without the command's group, such as `list` for `schedule list`. */
export function setCommand(name: string): void {
  isPrinting = PRINTING.has(name);
}

/**
 * The reader of a pipe may close it early: `escapement schedule list | head -1` is not an error. A command that only
 * prints then ends quietly. A command that changes or judges something finishes its work, and keeps its exit code.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (isPrinting && stream === process.stdout) process.exit();
    });
  }
}
