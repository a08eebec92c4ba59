import type { PayloadCodec } from '@temporalio/common';

/** A codec whose ciphertext is easily told from what it hides. */
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

/** A payload of `undefined` has none. */
function invert(data: Uint8Array | null | undefined): Uint8Array {
  return (data ?? new Uint8Array()).map((byte) => byte ^ 0xff);
}
