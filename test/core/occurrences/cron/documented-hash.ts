/** The hash of docs/time.md, written down a second time. */
export function documentedHash(text: string): number {
  const mask = 0xffffffffn;
  let hash = 0x811c9dc5n;
  for (const byte of Buffer.from(text, 'utf8')) hash = ((hash ^ BigInt(byte)) * 0x01000193n) & mask;
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask;
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask;
  return Number(hash ^ (hash >> 16n));
}
