import { randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';

/** A codec whose ciphertext is clearly different from its plaintext. */
export const invertingCodec: PayloadCodec = {
  encode: async (payloads) =>
    payloads.map((payload) => ({
      metadata: { encoding: Buffer.from('binary/inverted'), inner: payload.metadata!.encoding! },
      data: invert(payload.data),
    })),
  decode: async (payloads) =>
    payloads.map((payload) => ({
      metadata: { encoding: payload.metadata!.inner! },
      data: invert(payload.data),
    })),
};

/** The payload of `undefined` has no data. */
function invert(data: Uint8Array | null | undefined): Uint8Array {
  return (data ?? new Uint8Array()).map((byte) => byte ^ 0xff);
}

/** Encodes the same payload to different bytes each time, and only decodes payloads of its own key. */
export function nonceCodec(key: number): PayloadCodec {
  const mask = (data: Uint8Array, nonce: number) => data.map((byte) => byte ^ nonce ^ key);
  return {
    encode: async (payloads) =>
      payloads.map((payload): Payload => {
        const nonce = randomBytes(1);
        const data = Buffer.from(JSON.stringify({ key, json: Buffer.from(payload.data!).toString() }));
        return { metadata: payload.metadata, data: Buffer.concat([nonce, mask(data, nonce[0]!)]) };
      }),
    decode: async (payloads) =>
      payloads.map((payload): Payload => {
        const [nonce, ...data] = payload.data!;
        const { json } = JSON.parse(Buffer.from(mask(Uint8Array.from(data), nonce!)).toString());
        return { metadata: payload.metadata, data: Buffer.from(json) };
      }),
  };
}

/** Decodes only payloads that it has encoded: the memo by which a workflow finds its firing is not encoded. */
export const politeCodec: PayloadCodec = {
  encode: (payloads) => invertingCodec.encode(payloads),
  decode: (payloads) =>
    Promise.all(
      payloads.map(async (payload) =>
        payload.metadata?.inner ? (await invertingCodec.decode([payload]))[0]! : payload,
      ),
    ),
};
