const UNITS = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const PART = /(\d*)(?:\.(\d*))?([^\d.]+)/y;

/**
 * Parses a duration after `@every` as the server does: Go's syntax (`1h30m`, `1.5h`), with `d` for 24 hours. The result
 * is in milliseconds; undefined if the duration is not valid.
 */
export function parseGoDuration(written: string): number | undefined {
  const text = written.replace(/(\d+(?:\.\d*)?|\.\d+)d/g, (_, days: string) => `${(24 * Number(days)).toFixed(6)}h`);
  const negative = text.startsWith('-');
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === '0') return 0;
  if (body === '') return undefined;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const part = PART.exec(body);
    const unit = part === null ? undefined : UNITS.get(part[3]!);
    if (part === null || unit === undefined || (part[1] === '' && (part[2] ?? '') === '')) return undefined;
    const fraction = (part[2] ?? '').slice(0, 18);
    // BigInt('') is 0n.
    total += BigInt(part[1]!) * unit + (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    if (total >= 1n << 63n) return undefined;
  }
  const ms = Number(total / 1_000_000n);
  return negative ? -ms : ms;
}
