const encoder = new TextEncoder();

/**
 * The hash from which `H` and jitter are computed: FNV-1a (32 bits) over the UTF-8 bytes of a text, then the finalizer
 * of MurmurHash3. The hash must never change, since another hash would move every schedule that uses `H` or jitter.
 */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
