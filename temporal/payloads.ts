import { defaultPayloadConverter, type Payload } from '@temporalio/common';

/**
 * Reads a value that another program may have written or encrypted. If the value cannot be read, it is not from
 * Escapement.
 */
export function read<Value>(payload: Payload | undefined | null): Value | undefined {
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<Value>(payload);
  } catch {
    return undefined;
  }
}
