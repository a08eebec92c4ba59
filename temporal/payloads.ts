import { defaultPayloadConverter, type Payload } from '@temporalio/common';

/** A value that somebody else may have written, or encrypted: what cannot be read is not ours. */
export function read<Value>(payload: Payload | undefined | null): Value | undefined {
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<Value>(payload);
  } catch {
    return undefined;
  }
}
