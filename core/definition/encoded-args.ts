/** A payload in Temporal's JSON form, with bytes in base64. */
export interface JsonPayload {
  metadata: Record<string, string>;
  data?: string | undefined;
}

/**
 * Arguments that the caller has already encoded, for example by a codec that only the caller has. Encoded arguments are
 * stored and sent unchanged.
 */
export interface EncodedArgs {
  payloads: JsonPayload[];
}

export const NO_ARGS =
  'is neither a list of arguments nor { payloads: [{ metadata: { encoding, … }, data }, …] } with its bytes in base64';

export function isEncodedArgs(value: unknown): value is EncodedArgs {
  if (!isObject(value) || Object.keys(value).some((key) => key !== 'payloads')) return false;
  return Array.isArray(value.payloads) && value.payloads.every(isPayload);
}

function isPayload(value: unknown): value is JsonPayload {
  if (!isObject(value) || Object.keys(value).some((key) => key !== 'metadata' && key !== 'data')) return false;
  const { metadata, data } = value;
  if (!isObject(metadata) || !('encoding' in metadata)) return false;
  return Object.values(metadata).every(isBase64) && (data === undefined || isBase64(data));
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
