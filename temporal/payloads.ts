import { defaultPayloadConverter, type Payload } from '@temporalio/common';

/** Another program may have written or encrypted the value. Returns undefined if it cannot be read. */
export function read<Value>(payload: Payload | undefined | null): Value | undefined {
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<Value>(payload);
  } catch {
    return undefined;
  }
}
