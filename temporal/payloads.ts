import { defaultPayloadConverter, type Payload } from '@temporalio/common';

/**
 * Reads a value that another program may have written or encrypted. Returns undefined for a value that cannot be read.
 */
export function read<Value>(payload: Payload | undefined | null): Value | undefined {
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<Value>(payload);
  } catch {
    return undefined;
  }
}
