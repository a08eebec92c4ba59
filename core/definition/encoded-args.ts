/** A payload as Temporal's JSON has it: bytes in base64. */
export interface JsonPayload {
  /** Such as `encoding`, which says how to read the data. */
  metadata: Record<string, string>;
  /** Without it there is none. */
  data?: string | undefined;
}

/** Arguments that are encoded already, such as by a codec that nobody else has: they are stored and started with byte for byte. */
export interface EncodedArgs {
  /** One for each argument. */
  payloads: JsonPayload[];
}

export const NO_ARGS =
  'is neither a list of arguments nor { payloads: [{ metadata: { encoding, … }, data }, …] } with its bytes in base64';

/** Whether arguments are encoded already. */
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
