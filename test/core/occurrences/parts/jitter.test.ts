import { describe, expect, it } from 'vitest';
import { jitterOf } from '../../../../core/occurrences';
import { hash32 } from '../../../../core/occurrences/hash';

const NOMINAL = Date.UTC(2026, 0, 1) / 1000;
/** `examples.test.ts` checks this hash of ID and nominal time against the documented one. */
const fraction = (scheduleId: string) => hash32(`${NOMINAL}\n${scheduleId}`) / 2 ** 32;
const HOUR = 3_600_000;

describe('the delay of a start', () => {
  it.each([
    ['jitter that ends before the next time', NOMINAL + 86_400, HOUR, HOUR],
    ['jitter that ends with the next time', NOMINAL + 3_600, HOUR, HOUR],
    ['jitter that would reach beyond the next time', NOMINAL + 60, HOUR, 60_000],
    ['no next time', Number.NaN, HOUR, HOUR],
    ['a part of a millisecond', NOMINAL + 60, 1_000.9, 1_000],
    ['more milliseconds than 32 bits hold', Number.NaN, 2 ** 40, 0xffffffff],
    ['as many milliseconds as 32 bits hold', Number.NaN, 0xffffffff, 0xffffffff],
  ])('is a share of what lies before the next time: %s', (_, following, jitter, gap) => {
    for (const id of ['nightly', 'hourly', 'größe']) {
      expect(jitterOf(NOMINAL, following, jitter, id)).toBe(Math.floor(fraction(id) * gap));
    }
  });
  it.each([
    ['no jitter', NOMINAL + 60, 0],
    ['less than a millisecond of jitter', NOMINAL + 60, 0.9],
    ['a next time that is not later', NOMINAL, HOUR],
    ['a next time that is earlier', NOMINAL - 60, HOUR],
  ])('is none with %s', (_, following, jitter) => {
    expect(jitterOf(NOMINAL, following, jitter, 'nightly')).toBe(0);
  });
  it('is always less than the jitter', () => {
    for (let n = 0; n < 1_000; n++) expect(jitterOf(NOMINAL, Number.NaN, 1, `job-${n}`)).toBe(0);
    const delays = Array.from({ length: 1_000 }, (_, n) => jitterOf(NOMINAL, Number.NaN, 2, `job-${n}`));
    expect(new Set(delays)).toEqual(new Set([0, 1]));
  });
});
