import type { ConnectionOptions } from '@temporalio/client';
import { InvalidOptionError } from '../core/errors';

/** The characters that a header allows. */
const PRINTABLE_ASCII = /^[ -~]*$/;
/**
 * Why a key cannot be used, without the key itself: the error of the network library repeats the key, and would be
 * logged.
 */
export const UNFIT_KEY = 'has a character that no header takes, such as the line end of a file that it was read from';

/** Whether a key can be sent. */
export function isFitKey(key: string): boolean {
  return PRINTABLE_ASCII.test(key);
}

/**
 * The options, with a check of the API key before it is sent.
 *
 * @throws {InvalidOptionError} for a key that cannot be sent as a header. If the key is a function, each call throws it
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
