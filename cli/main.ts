#!/usr/bin/env node
// This import must come first, since the imports below take a second to load.
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
// This is the only place that reads the environment of this process.
void command(process.argv.slice(2), process.env);
