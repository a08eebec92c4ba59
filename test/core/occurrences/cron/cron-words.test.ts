import { describe, expect, it } from 'vitest';
import { cronInWords, temporalInWords, withoutHashes } from '../../../../core/occurrences/cron/cron-words';
import { documentedHash } from './documented-hash';

const EITHER = false;
const BOTH = true;
const WRITTEN = ' as it was written ';
const inWords = (cron: string, and: boolean) => cronInWords(cron, WRITTEN, and);

describe('an expression in words', () => {
  it.each([
    ['0 2 * * *', 'At 02:00'],
    ['  5   14 * *  * ', 'At 14:05'],
    ['30 0 2 * * *', 'At 02:00:30'],
    ['0 0 2 * * * 2030', 'At 02:00, only in 2030'],
    ['*/15 9-17 * * 1-5', 'Every 15 minutes, between 09:00 and 17:59, Monday through Friday'],
    ['0 9 * 11-2 FRI-MON', 'At 09:00, Friday through Monday, November through February'],
    ['@hourly', 'Every hour'],
    ['@daily', 'At 00:00'],
    ['@weekly', 'At 00:00, only on Sunday'],
  ])('has its times on a clock of 24 hours: %s', (cron, words) => {
    expect(inWords(cron, EITHER)).toBe(words);
    expect(inWords(cron, BOTH)).toBe(words);
  });

  it.each([
    ['@minutely', 'Every minute'],
    [' @Secondly ', 'Every second'],
    ['@weekdays', 'At 00:00, Monday through Friday'],
    ['@weekends', 'At 00:00, only on Sunday and Saturday'],
  ])('has the times of a macro that the library does not know: %s', (macro, words) => {
    expect(inWords(macro, EITHER)).toBe(words);
  });

  it.each([
    ['0 9 * * Monday', 'At 09:00, only on Monday'],
    ['0 9 * * mond-FRIDAY', 'At 09:00, Monday through Friday'],
    ['0 9 * November *', 'At 09:00, only in November'],
    ['0 9 * * FRIDAY#2', 'At 09:00, on the second Friday of the month'],
    ['0 9 * * FRIL', 'At 09:00, on the last Friday of the month'],
    ['0 9 LW * *', 'At 09:00, on the last weekday of the month'],
    ['0 9 * * 0,7', 'At 09:00, only on Sunday'],
    ['0 9 * * 7,SUN', 'At 09:00, only on Sunday'],
    ['0 9 * * SUN,0', 'At 09:00, only on Sunday'],
    ['0 9 * * 1,MON', 'At 09:00, only on Monday'],
    ['0 9 * Jan,1 *', 'At 09:00, only in January'],
    ['0 9 * * FRIDAYL', 'At 09:00, on the last Friday of the month'],
    ['0 9 * * fridayl', 'At 09:00, on the last Friday of the month'],
    ['0 9 * * 5l', 'At 09:00, on the last Friday of the month'],
    ['0 9 * * 7,1', 'At 09:00, only on Monday and Sunday'],
  ])('has names in any length, and Sunday once: %s', (cron, words) => {
    expect(inWords(cron, EITHER)).toBe(words);
    expect(inWords(cron, BOTH)).toBe(words);
  });

  it.each([
    ['*/7 * * * *', 'At 0, 7, 14, 21, 28, 35, 42, 49, and 56 minutes past the hour'],
    ['0/25 * * * * *', 'At 0, 25, and 50 seconds past the minute'],
    ['0-59/7 * * * *', 'At 0, 7, 14, 21, 28, 35, 42, 49, and 56 minutes past the hour'],
    ['5/25 * * * *', 'At 5, 30, and 55 minutes past the hour'],
    ['25/20 * * * *', 'At 25 and 45 minutes past the hour'],
    ['0 */9,13-15 * * *', 'At 00:00, 09:00, 13:00, 14:00, 15:00 and 18:00'],
    ['0-29,30-59/15 * * * *', 'At 0 through 30 and 45 minutes past the hour'],
    ['*/2,1/2 * * * *', 'Every minute'],
    ['*/25,*/20 * * * *', 'At 0, 20, 25, 40, and 50 minutes past the hour'],
    ['0,*/20 * * * *', 'At 0, 20, and 40 minutes past the hour'],
    ['0 9-17/4,20 * * *', 'At 09:00, 13:00, 17:00 and 20:00'],
    ['0,*/40 * * * *', 'At 0 and 40 minutes past the hour'],
    ['0 0 1 FEB,JAN/5 *', 'At 00:00, on day 1 of the month, only in January, February, June, and November'],
    ['?/40 9 * * *', 'At 0 and 40 minutes past the hour, at 09:00'],
    ['0 */9 * * *', 'At 00:00, 09:00 and 18:00'],
    ['0 0 1 */5 *', 'At 00:00, on day 1 of the month, only in January, June, and November'],
    ['0 0 1 JAN/5 *', 'At 00:00, on day 1 of the month, only in January, June, and November'],
    ['0 0 1 1/5 *', 'At 00:00, on day 1 of the month, only in January, June, and November'],
  ])('has the values of a step that begins anew before its end, or stands in a list: %s', (cron, words) => {
    expect(inWords(cron, EITHER)).toBe(words);
    expect(inWords(cron, BOTH)).toBe(words);
  });

  it.each([
    ['*/20 * * * *', 'Every 20 minutes'],
    ['0/30 * * * * *', 'Every 30 seconds'],
    ['5/20 * * * *', 'Every 20 minutes, starting at 5 minutes past the hour'],
    ['0 */8 * * *', 'On the hour, every 8 hours'],
    ['* */9 * * *', 'Every minute, every 9 hours'],
    ['5/1 * * * *', 'Every 1 minute, starting at 5 minutes past the hour'],
    ['0 0 1 */4 *', 'At 00:00, on day 1 of the month, every 4 months'],
    ['0 0 */9 * *', 'At 00:00, every 9 days in a month'],
    ['0 9-20/7 * * *', 'On the hour, every 7 hours, between 09:00 and 20:00'],
  ])('has a step of even length, or within a range, as a step: %s', (cron, words) => {
    expect(inWords(cron, EITHER)).toBe(words);
  });

  it('has a step that goes past the end of the field and on from its beginning', () => {
    expect(inWords('0 22-4/3 * * *', EITHER)).toBe('On the hour, every 3 hours, between 22:00 and 04:00');
  });

  it.each([
    ['0 0 13 * FRI', 'At 00:00, on day 13 of the month', ', or on Friday', ', only on Friday'],
    ['* * 1 * 5', 'Every minute, on day 1 of the month', ', or on Friday', ', only on Friday'],
    ['* * * 1 * 5', 'Every second, on day 1 of the month', ', or on Friday', ', only on Friday'],
    [
      '0 9 1 * 1,3',
      'At 09:00, on day 1 of the month',
      ', or on Monday and Wednesday',
      ', only on Monday and Wednesday',
    ],
    ['0 9 1 * 1-5', 'At 09:00, on day 1 of the month', ', or Monday through Friday', ', Monday through Friday'],
    [
      '0 9 1 * 5L',
      'At 09:00, on day 1 of the month',
      ', or on the last Friday of the month',
      ', on the last Friday of the month',
    ],
    ['0 9 */2 * 5', 'At 09:00, every 2 days in a month', ', or on Friday', ', only on Friday'],
    ['0 9 */10 * 5', 'At 09:00, every 10 days in a month', ', or on Friday', ', only on Friday'],
    ['0 9 1-31 * 5', 'At 09:00, between day 1 and 31 of the month', ', or on Friday', ', only on Friday'],
    ['0 9 15W * 5', 'At 09:00, on the weekday nearest day 15 of the month', ', or on Friday', ', only on Friday'],
  ])('says or where one of two days is enough, else only: %s', (cron, words, either, both) => {
    expect(inWords(cron, EITHER)).toBe(words + either);
    expect(inWords(cron, BOTH)).toBe(words + both);
  });

  it.each([
    ['0 0 9 1 * 5 2030', 'At 09:00, on day 1 of the month, or on Friday, only in 2030'],
    ['0 0 9 1 1 5', 'At 09:00, on day 1 of the month, or on Friday, only in January'],
    ['0   9 1 *  5 ', 'At 09:00, on day 1 of the month, or on Friday'],
  ])('knows the day fields also where seconds or more spaces stand in front: %s', (cron, words) => {
    expect(inWords(cron, EITHER)).toBe(words);
  });

  it.each([
    ['0 9 * * 5', 'At 09:00, only on Friday'],
    ['0 9 ? * 5', 'At 09:00, only on Friday'],
    ['0 9 */1 * 5', 'At 09:00, only on Friday'],
    ['0 9 1 * ?', 'At 09:00, on day 1 of the month'],
    ['0 9 1 * */1', 'At 09:00, on day 1 of the month'],
  ])('says no or where a day field is not restricted: %s', (cron, words) => {
    expect(inWords(cron, EITHER)).toBe(words);
  });

  it('says nothing of the day of the week where the other field has every day anyway', () => {
    expect(inWords('0 9 1/1 * 5', EITHER)).toBe('At 09:00');
    expect(inWords('0 9 1/1 * 1-5', EITHER)).toBe('At 09:00');
    expect(inWords('0 9 1/1 * 5', BOTH)).toBe('At 09:00, only on Friday');
  });

  it.each([
    ['0 9 L-3W * *', '3'],
    ['0 9 l-3w * *', '3'],
    ['0 9 L-13W * *', '13'],
    ['0 0 9 L-3W * *', '3'],
    ['0 0 9 L-3W * * *', '3'],
  ])('says which day before the last a weekday is nearest to: %s', (cron, before) => {
    const words = `At 09:00, on the weekday nearest to the day ${before} before the last of the month`;
    expect(inWords(cron, EITHER)).toBe(words);
    expect(inWords(cron, BOTH)).toBe(words);
  });

  it('says or beside such a weekday too', () => {
    const words = 'At 09:00, on the weekday nearest to the day 3 before the last of the month';
    expect(inWords('0 9 L-3W * FRI', EITHER)).toBe(`${words}, or on Friday`);
    expect(inWords('0 9 L-3W * FRI', BOTH)).toBe(`${words}, only on Friday`);
  });
});

describe('an expression as it was written, without the spaces around it', () => {
  it.each([
    // What the library does not know.
    '0 9 1,LW * *',
    '0 9 1,L-3W * *',
    '0 9 L-3W,1 * *',
    // What it would leave out or say wrongly.
    '0 9 1,L-3 * *',
    '0 9 L,l-3 * *',
    '0 9 1,L-3 * 5',
    '0 9 * * 1,2#3',
    '0 9 * * 2#3,1',
    '0 9 1 * 1,2#3',
    '0 9 * * MON-FRI,2#3',
    '0 9 1 * 1,*',
    '0 9 1,* * 5',
    '0 9 ?,1 * 5',
    '0 9 * * */1,1',
    '0 9 * 1,* *',
    '0 1,* * * *',
    '*/1,5 * * * *',
    '*,*/20 * * * *',
    '0,* 9 * * *',
  ])('stands for %s', (cron) => {
    expect(inWords(cron, EITHER)).toBe('as it was written');
    expect(inWords(cron, BOTH)).toBe('as it was written');
  });

  it.each([
    ['0 9 L-3 * *', 'At 09:00, 3 days before the last day of the month'],
    ['0 9-9/2 * * *', 'At 09:00'],
    ['0-0/15 9 * * *', 'At 09:00'],
    ['0 9 3-3/2 * *', 'At 09:00, on day 3 of the month'],
    ['0 9 * 3-3/2 *', 'At 09:00, only in March'],
    ['0 9 * * 1-1/2', 'At 09:00, only on Monday'],
    ['0 9 * * mon-MON/2', 'At 09:00, only on Monday'],
    ['0 9 lw * *', 'At 09:00, on the last weekday of the month'],
    ['0 9 1,L * *', 'At 09:00, on day 1 and the last day of the month'],
    ['0 9 1,15 * *', 'At 09:00, on day 1 and 15 of the month'],
    ['0 9 * * 2#3', 'At 09:00, on the third Tuesday of the month'],
    ['0 9 * * MON#2', 'At 09:00, on the second Monday of the month'],
    ['0 9 * * 1L,2#3', 'At 09:00, on the third Tuesday of the month and on the last Monday of the month'],
    ['0 9 * * 1,3', 'At 09:00, only on Monday and Wednesday'],
  ])('does not stand for what words can say: %s', (cron, words) => {
    expect(inWords(cron, EITHER)).toBe(words);
  });
});

describe("an expression of Temporal's dialect in words", () => {
  it.each([
    ['0 2 * * *', 'At 02:00'],
    ['0 2 * * * 2030', 'At 02:00, only in 2030'],
    ['5 2 * * * *', 'At 02:05'],
    ['0 0 1 1 * */200', 'At 00:00, on day 1 of the month, only in January, only in 2000'],
    ['5  2 * * *   *', 'At 02:05'],
    ['TZ=UTC  5 2 * * * *', 'At 02:05'],
    ['30 0 2 * * * 2030', 'At 02:00:30, only in 2030'],
    ['0 2 13 * FRI', 'At 02:00, on day 13 of the month, only on Friday'],
    ['0 9 * * 1-7', 'At 09:00, Monday through Saturday'],
    ['  @daily  ', 'At 00:00'],
    ['0 2 * * * # lunch', 'At 02:00 (lunch)'],
    ['0 2 * * *#lunch', 'At 02:00 (lunch)'],
    ['0 2 * * * # a # b ', 'At 02:00 (a # b)'],
    ['0 2 * * * #  ', 'At 02:00'],
    ['0 2 * * * ##', 'At 02:00 (#)'],
    ['0 2 * * * # TZ=UTC in winter', 'At 02:00 (TZ=UTC in winter)'],
    ['CRON_TZ=Asia/Tokyo 0 2 * * * # lunch', 'At 02:00 (lunch)'],
    ['  TZ=UTC  0 2 * * * 2030', 'At 02:00, only in 2030'],
    ['TZ=UTC @hourly', 'Every hour'],
    ['0 9 * * Mo', 'At 09:00, only on Monday'],
    ['0 9 * Sept *', 'At 09:00, only in September'],
    ['TZ=UTC  0 9 * * 1,* # why', '0 9 * * 1,* (why)'],
  ])('has its fields as the server reads them, and its comment: %s', (expression, words) => {
    expect(temporalInWords(expression)).toBe(words);
  });

  it.each([
    ['@every 5h', 'Every 5h'],
    ['@every 1h30m/45m', 'Every 1h30m, 45m after'],
    [' @every 5h/45m # why', 'Every 5h, 45m after (why)'],
    ['TZ=Asia/Tokyo  @every 5h #', 'Every 5h'],
    ['@every/x 5h', 'Every 5h'],
    ['@every 5h/', 'Every 5h'],
  ])('has its interval and phase: %s', (expression, words) => {
    expect(temporalInWords(expression)).toBe(words);
  });
});

describe('an expression without H', () => {
  const hash = (field: string) => documentedHash(`nightly\n${field}`);
  const [second, minute, hour] = [hash('second') % 60, hash('minute') % 60, hash('hour') % 24];
  const third = hash('hour') % 8;

  it.each([
    ['H H * * *', `${minute} ${hour} * * *`],
    ['H H H * * *', `${second} ${minute} ${hour} * * *`],
    ['H 0 0 1 1 * 2030', `${second} 0 0 1 1 * 2030`],
    ['h H(9-17) * * *', `${minute} ${9 + (hash('hour') % 9)} * * *`],
    ['5 H/8 * * *', `5 ${third},${third + 8},${third + 16} * * *`],
    ['5 h(0-15)/8 * * *', `5 ${third},${third + 8} * * *`],
    ['3,H,59 2 * * MON', `3,${minute},59 2 * * MON`],
    ['0 0 H H H', `0 0 ${1 + (hash('dayOfMonth') % 28)} ${1 + (hash('month') % 12)} ${hash('dayOfWeek') % 7}`],
    ['  H   2 * * * ', `${minute} 2 * * *`],
    ['0 0 * * THU', '0 0 * * THU'],
    ['@daily', '@daily'],
  ])('has the values that the ID decides, each of its own field: %s', (cron, expected) => {
    expect(withoutHashes(cron, 'nightly')).toBe(expected);
  });

  it('keeps its H where there is no ID', () => {
    expect(withoutHashes('H H/8 * * *', undefined)).toBe('H H/8 * * *');
  });
});
