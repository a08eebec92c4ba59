import type { ConnectionOptions } from '@temporalio/client';

/** Where a person finds what a connection is made with, as advice names it. */
export interface Sources {
  namespace: string;
  apiKey: string;
}

/** Of options that a program made. */
const OF_A_PROGRAM: Sources = { namespace: 'the namespace', apiKey: 'the API key' };
/** Copied with the options, and no option of the connection itself. */
const SOURCES = Symbol('sources');

/** The options, with where they were found. */
export function withSources(options: ConnectionOptions, sources: Sources): ConnectionOptions {
  return Object.assign({ ...options }, { [SOURCES]: sources });
}

/** Where options were found. */
export function sourcesOf(options: ConnectionOptions): Sources {
  return (options as { [SOURCES]?: Sources })[SOURCES] ?? OF_A_PROGRAM;
}
