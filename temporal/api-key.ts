import type { ConnectionOptions } from '@temporalio/client';
import { InvalidOptionError } from '../core/errors';

/** The characters that are allowed in the value of a header. */
const PRINTABLE_ASCII = /^[ -~]*$/;
/**
 * The reason why a key cannot be used, without the key itself: the network library's error repeats the key, and would
 * be logged.
 */
export const UNFIT_KEY = 'has a character that no header takes, such as the line end of a file that it was read from';

export function isFitKey(key: string): boolean {
  return PRINTABLE_ASCII.test(key);
}

/**
 * The options, with a check of the API key before it is sent.
 *
 * @throws {InvalidOptionError} for a key that cannot be sent as a header. If the key is a function, calling it throws
 * this error
 */
export function withFitKey(options: ConnectionOptions): ConnectionOptions {
  const { apiKey } = options;
  if (apiKey === undefined) return options;
  return { ...options, apiKey: typeof apiKey === 'function' ? () => fit(apiKey()) : fit(apiKey) };
}

function fit(key: string): string {
  if (isFitKey(key)) return key;
  throw new InvalidOptionError('connection.apiKey', UNFIT_KEY);
}
