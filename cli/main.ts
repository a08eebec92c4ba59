#!/usr/bin/env node
// First of all: what follows takes a second to load.
import './first-process';
import { command } from './command';

/** Whoever reads our output may have read enough: `escapement schedule list | head -1` is no error. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

endWithReader(process.stdout);
endWithReader(process.stderr);
// The only reader of this process's environment.
void command(process.argv.slice(2), process.env);
