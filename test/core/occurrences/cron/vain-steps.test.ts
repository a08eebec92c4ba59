import { expect, it } from 'vitest';
import { cronInWords } from '../../../../core/occurrences/cron/cron-words';

const EITHER = false;
const BOTH = true;
const inWords = (cron: string, and: boolean) => cronInWords(cron, cron, and);

it.each([
  ['*/90 * * * *', 'Every hour'],
  ['0/60 * * * *', 'Every hour'],
  ['*/40 9 * * *', 'At 0 and 40 minutes past the hour, at 09:00'],
  ['1,*/60 9 * * *', 'At 0 and 1 minutes past the hour, at 09:00'],
  ['*/75 0 9 * * *', 'At 09:00'],
  ['0 */48 * * *', 'At 00:00'],
  ['0 22/4 * * *', 'At 22:00'],
  ['0 20/3 * * *', 'At 20:00 and 23:00'],
  ['0 9-17/9 * * *', 'At 09:00'],
  ['0 9-17/8 * * *', 'On the hour, every 8 hours, between 09:00 and 17:00'],
  ['0 0 1 */18 *', 'At 00:00, on day 1 of the month, only in January'],
  ['0 0 */40 * *', 'At 00:00, on day 1 of the month'],
  ['0 0 20/15 * *', 'At 00:00, on day 20 of the month'],
  ['0 0 * * */7', 'At 00:00, only on Sunday'],
  ['0 0 * * 3/5', 'At 00:00, only on Wednesday'],
  ['0 0 0 1 1 * 2030/100', 'At 00:00, on day 1 of the month, only in January, only in 2030'],
  ['0 0 * * FRI/3', 'At 00:00, only on Friday'],
  ['0 0 * * MON-FRI/5', 'At 00:00, only on Monday'],
  ['0 0 * * SUN-SAT/7', 'At 00:00, only on Sunday'],
  ['0 0 1 jan/12 *', 'At 00:00, on day 1 of the month, only in January'],
  ['0 0 1 JAN-DEC/12 *', 'At 00:00, on day 1 of the month, only in January'],
  // Both 0 and 7 stand for Sunday.
  ['0 0 * * 0/7', 'At 00:00, only on Sunday'],
  ['0 0 * * 0-7/7', 'At 00:00, only on Sunday'],
  ['0,*/60 * * * *', 'Every hour'],
  ['0 9 * * 5,FRI/3', 'At 09:00, only on Friday'],
])('has only the first value where the step leads beyond the end: %s', (cron, words) => {
  expect(inWords(cron, EITHER)).toBe(words);
  expect(inWords(cron, BOTH)).toBe(words);
});

it.each([
  ['0 22-4/10 * * *', 'At 22:00'],
  ['0 0 * * 5-1/5', 'At 00:00, only on Friday'],
  ['0 0 * * FRI-MON/4', 'At 00:00, only on Friday'],
])('has only the first value where the step leads beyond a range that wraps: %s', (cron, words) => {
  expect(inWords(cron, EITHER)).toBe(words);
});
