import type { ConnectionOptions } from '@temporalio/client';

/** Where the settings of a connection come from, as advice names it. */
export interface Sources {
  namespace: string;
  apiKey: string;
}

/** The names for options that a program set. */
const OF_A_PROGRAM: Sources = { namespace: 'the namespace', apiKey: 'the API key' };
/** A symbol is copied with the options, and is no option of the connection itself. */
const SOURCES = Symbol('sources');

/** The options, with the place where they were found. */
export function withSources(options: ConnectionOptions, sources: Sources): ConnectionOptions {
  return Object.assign({ ...options }, { [SOURCES]: sources });
}

/** Where options were found. */
export function sourcesOf(options: ConnectionOptions): Sources {
  return (options as { [SOURCES]?: Sources })[SOURCES] ?? OF_A_PROGRAM;
}
