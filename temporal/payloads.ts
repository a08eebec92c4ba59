import { defaultPayloadConverter, type Payload } from '@temporalio/common';

/** Read a value that somebody else may have written or encrypted. A value that cannot be read is not from Escapement. */
export function read<Value>(payload: Payload | undefined | null): Value | undefined {
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<Value>(payload);
  } catch {
    return undefined;
  }
}
