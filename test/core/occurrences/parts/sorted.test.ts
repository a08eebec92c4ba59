import { expect, it } from 'vitest';
import { indexFrom } from '../../../../core/occurrences/sorted';

it.each([
  ['nothing is sorted', [], 5, 0],
  ['the number is less than the only one', [5], 4, 0],
  ['the number is the only one', [5], 5, 0],
  ['the number is greater than the only one', [5], 6, 1],
  ['the number is less than all', [10, 20, 30, 40], 9, 0],
  ['the number is the first', [10, 20, 30, 40], 10, 0],
  ['the number is between two', [10, 20, 30, 40], 21, 2],
  ['the number is in the middle', [10, 20, 30, 40], 30, 2],
  ['the number is the last', [10, 20, 30, 40], 40, 3],
  ['the number is greater than all', [10, 20, 30, 40], 41, 4],
  ['the number comes several times', [10, 20, 20, 20, 30], 20, 1],
])('the first that is at least a number is found if %s', (_, sorted, value, index) => {
  expect(indexFrom(sorted, value)).toBe(index);
});
