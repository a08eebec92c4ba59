import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { EncodedPayload } from '../core/definition/definition';
import type { JsonPayload } from '../core/definition/encoded-args';

const { Payload: PayloadMessage } = temporal.api.common.v1;

/** A payload from its JSON form, which has bytes in base64. */
export function fromJson({ metadata, data }: JsonPayload): Payload {
  const bytes = Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')]);
  return { metadata: Object.fromEntries(bytes), ...(data === undefined ? {} : { data: Buffer.from(data, 'base64') }) };
}

export function toJson({ metadata, data }: Payload): JsonPayload {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const texts = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)]);
  return { metadata: Object.fromEntries(texts), ...(data?.length ? { data: base64(data) } : {}) };
}

/** The stored form of a payload: the bytes of its message in base64. */
export function toText(payload: Payload): EncodedPayload {
  return Buffer.from(PayloadMessage.encode(payload).finish()).toString('base64');
}

export function fromText(text: EncodedPayload): Payload {
  if (typeof text !== 'string') throw new Error('a payload in the ledger is no text in base64');
  return PayloadMessage.decode(Buffer.from(text, 'base64'));
}

export function toTexts(fields: Record<string, Payload> | undefined): Record<string, EncodedPayload> | undefined {
  return fields && Object.fromEntries(Object.entries(fields).map(([key, payload]) => [key, toText(payload)]));
}

export function fromTexts(texts: Record<string, EncodedPayload>): Record<string, Payload> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fromText(text)]));
}
