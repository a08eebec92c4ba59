import { describe, expect, it } from 'vitest';
import { cronInWords } from '../../../../core/occurrences/cron/cron-words';

const EITHER = false;
const BOTH = true;
const inWords = (cron: string, and: boolean) => cronInWords(cron, cron, and);

describe('the week in words', () => {
  const week = (text: string, and: boolean) => inWords(`0 9 * * ${text}`, and).replace(/^At 09:00, /, '');
  const EACH_2 = 'every 2 days of the week, ';

  it.each([
    // After 7 the week is over.
    ['7/2', 'only on Sunday'],
    ['7/10', 'only on Sunday'],
    ['1,7/2', 'only on Monday and Sunday'],
    ['5-7/2', `${EACH_2}Friday through Sunday`],
    ['0-7', 'Sunday through Saturday'],
    ['sun-7', 'Sunday through Saturday'],
    ['SUN-7', 'Sunday through Saturday'],
    ['5,0-7', 'only on Friday and Sunday through Saturday'],
    ['0-7/2', `${EACH_2}Sunday through Saturday`],
    ['1-5/2', `${EACH_2}Monday through Friday`],
    ['mon-fri/2', `${EACH_2}Monday through Friday`],
    ['2-7', 'Tuesday through Sunday'],
    ['1-7/2', `${EACH_2}Monday through Sunday`],
    ['1-7/10', 'only on Monday'],
  ])('is the same in both dialects: %s', (text, words) => {
    expect(week(text, EITHER)).toBe(words);
    expect(week(text, BOTH)).toBe(words);
  });

  it.each([
    ['1-7', 'Monday through Sunday', 'Monday through Saturday'],
    ['mon-7', 'Monday through Sunday', 'Monday through Saturday'],
    ['MON-7', 'Monday through Sunday', 'Monday through Saturday'],
    ['1-7/1', 'Monday through Sunday', 'Monday through Saturday'],
    ['3,1-7', 'only on Wednesday and Monday through Sunday', 'only on Wednesday and Monday through Saturday'],
    ['1-7,3', 'only on Monday through Sunday and Wednesday', 'only on Monday through Saturday and Wednesday'],
    ['3/2', `${EACH_2}Wednesday through Saturday`, `${EACH_2}Wednesday through Sunday`],
    ['mon/2', `${EACH_2}Monday through Saturday`, `${EACH_2}Monday through Sunday`],
    ['WED/2', `${EACH_2}Wednesday through Saturday`, `${EACH_2}Wednesday through Sunday`],
    ['5/1', 'Friday through Saturday', 'Friday through Sunday'],
    ['5/2', 'only on Friday', `${EACH_2}Friday through Sunday`],
    ['4/3', 'only on Thursday', 'every 3 days of the week, Thursday through Sunday'],
    ['FRI/2', 'only on Friday', `${EACH_2}Friday through Sunday`],
  ])("ends on Saturday, and in Temporal's dialect as its server reads it: %s", (text, ours, theirs) => {
    expect(week(text, EITHER)).toBe(ours);
    expect(week(text, BOTH)).toBe(theirs);
  });

  it('ends so too where it stands behind another day', () => {
    expect(week('1,3/2', BOTH)).toBe(`only on Monday and ${EACH_2}Wednesday through Sunday`);
  });
});
