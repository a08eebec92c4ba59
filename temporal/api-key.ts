import type { ConnectionOptions } from '@temporalio/client';
import { InvalidOptionError } from '../core/errors';

/** What a header takes. */
const PRINTABLE_ASCII = /^[ -~]*$/;
/** What is wrong with a key, without the key: the error of the network's library repeats it, and would be logged. */
export const UNFIT_KEY = 'has a character that no header takes, such as the line end of a file that it was read from';

/** Whether a key can be sent. */
export function isFitKey(key: string): boolean {
  return PRINTABLE_ASCII.test(key);
}

/**
 * The options with an API key that is checked before it is sent.
 *
 * @throws {InvalidOptionError} for a text that cannot be sent as a header. Where the key is a function, each call throws it
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
