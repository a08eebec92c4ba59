import { expect, it } from 'vitest';
import { lagInWords } from '../../../server/dashboard/views/overview/lag-words';

it('a day on which nothing started is not announced as a day without lag', () => {
  expect(lagInWords([null, null])).toBe('Lag of the last 24 hours: nothing started.');
  expect(lagInWords([null, 2_000, 500])).toBe(
    'Lag of the last 24 hours: 99 of 100 firings started within 2.0 s even in the worst half hour.',
  );
});
