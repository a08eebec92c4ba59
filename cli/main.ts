#!/usr/bin/env node
// Must come first, since the imports below take a second to load.
import './first-process';
import { command } from './command';

/** A reader may close the pipe early: `escapement schedule list | head -1` is not an error. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

endWithReader(process.stdout);
endWithReader(process.stderr);
// The only place that reads this process's environment.
void command(process.argv.slice(2), process.env);
