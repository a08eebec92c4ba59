import type { ConnectionOptions } from '@temporalio/client';
import { InvalidOptionError } from '../core/errors';

const PRINTABLE_ASCII = /^[ -~]*$/;
/**
 * The reason why a key or another header cannot be sent. This text does not contain the secret value. The network
 * library's own error would repeat the value, and would be logged.
 */
export const UNFIT_KEY = 'has a character that no header takes, such as the line end of a file that it was read from';

export function isFitKey(key: string): boolean {
  return PRINTABLE_ASCII.test(key);
}

/** The name of a header in `metadata` whose value cannot be sent; undefined if there is none. */
export function unfitHeader(metadata: ConnectionOptions['metadata']): string | undefined {
  return Object.entries(metadata ?? {}).find(([, value]) => typeof value === 'string' && !isFitKey(value))?.[0];
}

/**
 * The options, after a check of the headers and of the API key. A key that is a function is checked each time that the
 * function is called.
 *
 * @throws {InvalidOptionError} for a key or a header that cannot be sent. If the key is a function, calling it throws
 * this error
 */
export function withFitKey(options: ConnectionOptions): ConnectionOptions {
  const { apiKey, metadata } = options;
  const header = unfitHeader(metadata);
  if (header !== undefined) throw new InvalidOptionError(`connection.metadata.${header}`, UNFIT_KEY);
  if (apiKey === undefined) return options;
  return { ...options, apiKey: typeof apiKey === 'function' ? () => fit(apiKey()) : fit(apiKey) };
}

function fit(key: string): string {
  if (isFitKey(key)) return key;
  throw new InvalidOptionError('connection.apiKey', UNFIT_KEY);
}
