#!/usr/bin/env node
// This import must come first: its signal handlers must be there while the other imports load.
import './first-process';
import { command } from './command';

/** The reader of a pipe may close it early: `escapement schedule list | head -1` is not an error. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

endWithReader(process.stdout);
endWithReader(process.stderr);
void command(process.argv.slice(2), process.env);
