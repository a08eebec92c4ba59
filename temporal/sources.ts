import type { ConnectionOptions } from '@temporalio/client';

/** The places from which the settings of a connection come, as advice names them. */
export interface Sources {
  namespace: string;
  apiKey: string;
}

/** The names that advice uses for options that a program set. */
const OF_A_PROGRAM: Sources = { namespace: 'the namespace', apiKey: 'the API key' };
/** The key is a symbol, which is copied with the options and is no option of the connection itself. */
const SOURCES = Symbol('sources');

export function withSources(options: ConnectionOptions, sources: Sources): ConnectionOptions {
  return Object.assign({ ...options }, { [SOURCES]: sources });
}

export function sourcesOf(options: ConnectionOptions): Sources {
  return (options as { [SOURCES]?: Sources })[SOURCES] ?? OF_A_PROGRAM;
}
