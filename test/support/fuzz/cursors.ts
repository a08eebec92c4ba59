import fc from 'fast-check';

const INSTANTS = [
  ...['2026-03-01T01:00:00.000Z', '2026-03-01', '2026', '1900-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999-23:59'],
  ...['0000-01-01T00:00:00.000Z', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59.999Z', '0001-1-275760'],
  ...['+275760-09-13T00:00:00.000Z', '-271821-04-20T00:00:00.000Z', '-000001-01-01T00:00:00.000Z'],
  ...['2026-02-30T00:00:00.000Z', '2026-03-01T24:00:00.000Z', 'infinity', '-infinity', 'now', '2026-03-01 (x)'],
];
const UUIDS = [
  ...['0e3f8a52-7d5e-4f0b-9a53-000000000000', '00000000-0000-0000-0000-000000000000'],
  ...['{0e3f8a52-7d5e-4f0b-9a53-000000000000}', '0e3f8a527d5e4f0b9a53000000000000', '0e3f8a52-7d5e-4f0b-9a53'],
];
const ODD = [
  ...[null, true, 0, -1, 1.5, 1e308, {}, { a: 1 }, [], [null], '', ' ', 'a', 'x'.repeat(50_000)],
  ...['\0', 'a\0b', '\ud800', '\udc00a', 'a\ud800', "'; drop table x", '\\', '%', 'ünïcode 💥', '__proto__'],
];
/** Cursors of some lists are numbers. */
const NUMBERS = [
  ...['0', '1', '-1', '1.5', '1e3', '1e308', '0x10', ' 1 ', 'NaN', 'Infinity', '999999999999999', '9007199254740993'],
  ...['2147483647', '2147483648', '9223372036854775807', '9223372036854775808', '9'.repeat(50_000)],
];
const RAW = ['', '=', '.', '[', '[]', 'null', '\0', '\ud800', 'x'.repeat(50_000), '['.repeat(50_000)];

const encoded = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');

/** The key in a cursor; undefined for a number. */
function keyOf(cursor: string): unknown[][] {
  try {
    return [JSON.parse(Buffer.from(cursor, 'base64url').toString())];
  } catch {
    return [];
  }
}

/**
 * Cursors that a list did not give, most of them nearly right, and some that it gave.
 *
 * @param own a cursor that the list gave
 * @param all cursors of this list and of others
 */
export function forgedCursors(own: string, all: readonly string[]): fc.Arbitrary<string> {
  const keys = all.flatMap(keyOf);
  const [key = keys[0]!] = keyOf(own);
  const value = fc.oneof(
    fc.constantFrom<unknown>(...ODD, ...INSTANTS, ...UUIDS, ...NUMBERS, ...keys.flat()),
    fc.string({ unit: 'binary' }),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const place = fc.nat(key.length - 1);
  const json = fc.oneof(
    { weight: 12, arbitrary: fc.tuple(place, value).map(([at, one]) => key.with(at, one)) },
    { weight: 2, arbitrary: place.map((at) => key.toSpliced(at, 1)) },
    { weight: 2, arbitrary: fc.tuple(fc.nat(key.length), value).map(([at, one]) => key.toSpliced(at, 0, one)) },
    { weight: 1, arbitrary: fc.array(value, { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  return fc.oneof(
    { weight: 12, arbitrary: json.map((parts) => encoded(JSON.stringify(parts))) },
    { weight: 2, arbitrary: fc.constantFrom(...NUMBERS, ...RAW, ...RAW.map(encoded), ...all) },
    { weight: 1, arbitrary: fc.nat(own.length).map((at) => own.slice(0, at)) },
    { weight: 1, arbitrary: fc.uint8Array().map(encoded) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  );
}
