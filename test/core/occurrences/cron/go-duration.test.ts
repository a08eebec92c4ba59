import { describe, expect, it } from 'vitest';
import { parseGoDuration } from '../../../../core/occurrences/cron/go-duration';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

describe("a duration in Go's syntax", () => {
  it.each([
    ['1000000ns', 1],
    ['1000us', 1],
    ['1000\u00b5s', 1],
    ['1000\u03bcs', 1],
    ['1ms', 1],
    ['1s', SECOND],
    ['1m', MINUTE],
    ['1h', HOUR],
    ['1d', DAY],
  ])('has each unit: %s is %d ms', (written, ms) => {
    expect(parseGoDuration(written)).toBe(ms);
  });

  it.each([
    ['1h30m', 90 * MINUTE],
    ['1h1m1s1ms', HOUR + MINUTE + SECOND + 1],
    ['30m1h', 90 * MINUTE],
    ['10s20s', 30 * SECOND],
    // The parts are added before what is below a millisecond is cut.
    ['500us500us', 1],
  ])('is the sum of its parts, in any order: %s is %d ms', (written, ms) => {
    expect(parseGoDuration(written)).toBe(ms);
  });

  it.each([
    ['1.5h', 90 * MINUTE],
    ['1.25s', 1_250],
    ['10.001s', 10_001],
    ['.5s', 500],
    ['1.s', SECOND],
    ['0.0s', 0],
    ['1h.5m', HOUR + 30 * SECOND],
    ['0.1234567890123456789s', 123],
  ])('may have a fraction, with digits on one side of the point at least: %s is %d ms', (written, ms) => {
    expect(parseGoDuration(written)).toBe(ms);
  });

  it.each([
    ['999999ns', 0],
    ['1999us', 1],
    ['1.9999ms', 1],
    ['-1.9999ms', -1],
  ])('loses what is below a millisecond, towards zero: %s is %d ms', (written, ms) => {
    expect(parseGoDuration(written)).toBe(ms);
  });

  it.each([
    ['30d', 30 * DAY],
    ['1.d', DAY],
    ['1.25d', 30 * HOUR],
    ['.25d', 6 * HOUR],
    ['1d12h', 36 * HOUR],
    ['12h1d', 36 * HOUR],
    ['1d2d', 3 * DAY],
    ['-1d', -DAY],
  ])('takes a day for 24 hours: %s is %d ms', (written, ms) => {
    expect(parseGoDuration(written)).toBe(ms);
  });

  it.each([
    ['+5s', 5 * SECOND],
    ['-5s', -5 * SECOND],
    ['-1h30m', -90 * MINUTE],
    ['0', 0],
    ['+0', 0],
    ['-0', 0],
  ])('may have a sign in front; only zero needs no unit: %s is %d ms', (written, ms) => {
    expect(parseGoDuration(written)).toBe(ms);
  });

  it.each([
    ['nothing', ''],
    ['a sign alone', '-'],
    ['a sign alone', '+'],
    ['two signs', '--5s'],
    ['a sign inside', '1h-5m'],
    ['a number without a unit', '5'],
    ['a number without a unit', '00'],
    ['a number without a unit at the end', '1h30'],
    ['a point without a unit', '5.'],
    ['a unit without a number', 's'],
    ['a unit without a number', '-s'],
    ['a unit without a number', 'd'],
    ['a point without digits', '.s'],
    ['a point without digits', '.d'],
    ['two points', '1.5.5s'],
    ['a unit that is not known', '5x'],
    ['a unit that is not known', '5w'],
    ['a unit in capitals', '5S'],
    ['a unit that is not known, after one that is', '1h5x'],
    ['a unit with something behind it', '5sx'],
    ['a space', '1h 30m'],
    ['a space in front', ' 1h'],
    ['an exponent', '1e3s'],
  ])('is refused for %s: %j', (_, written) => {
    expect(parseGoDuration(written)).toBeUndefined();
  });

  it.each([
    ['9223372036854775807ns', '9223372036854775808ns'],
    ['2562047h47m16.854775807s', '2562047h47m16.854775808s'],
    ['106751d23h47m16s', '106751d23h47m17s'],
  ])('is at most what fits into 64 bits of nanoseconds: %s, not %s', (longest, longer) => {
    expect(Math.floor(parseGoDuration(longest)! / SECOND)).toBe(9_223_372_036);
    expect(parseGoDuration(longer)).toBeUndefined();
  });
});
