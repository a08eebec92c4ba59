import { describe, expect, it } from 'vitest';
import { readField } from '../../../../core/occurrences/cron/cron-field';
import {
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  type Field,
  HOUR,
  MINUTE,
  MONTH,
  SECOND,
  YEAR,
} from '../../../../core/occurrences/fields';
import { refusalBy } from '../../../support/refusal';
import { documentedHash } from './documented-hash';

const PATH = 'spec.cron[2]';
const read = (field: Field, text: string, scheduleId: string | undefined = 'nightly') =>
  readField(field, text, { path: PATH, scheduleId });

const refusal = (field: Field, text: string, scheduleId?: string) =>
  refusalBy(() => readField(field, text, { path: PATH, scheduleId })).message;

describe('a cron field that is refused', () => {
  it.each<[string, Field, string]>([
    ['60', SECOND, 'second "60" is not allowed; 0-59, lists, ranges, steps and * are'],
    ['60', MINUTE, 'minute "60" is not allowed; 0-59, lists, ranges, steps and * are'],
    ['24', HOUR, 'hour "24" is not allowed; 0-23, lists, ranges, steps and * are'],
    [
      '32',
      DAY_OF_MONTH,
      'day-of-month "32" is not allowed; 1-31, L (the last day), L-3, 15W (the nearest weekday), LW, L-3W, ' +
        'lists, ranges, steps and * are',
    ],
    ['13', MONTH, 'month "13" is not allowed; 1-12, names JAN-DEC, lists, ranges, steps and * are'],
    [
      '8',
      DAY_OF_WEEK,
      'day-of-week "8" is not allowed; 0-7 (0 and 7 are Sunday), names SUN-SAT, 5L (the last Friday), ' +
        '5#2 (the second Friday), lists, ranges, steps and * are',
    ],
    ['2101', YEAR, 'year "2101" is not allowed; 1970-2100, lists, ranges, steps and * are'],
  ])('names itself, the item and all that is allowed: %s', (text, field, problem) => {
    expect(refusal(field, text)).toBe(`${PATH}: ${problem}`);
  });

  it.each([
    ['5,60', '"60" is not allowed'],
    ['60,5', '"60" is not allowed'],
    ['', 'is empty'],
    ['5,', 'is empty'],
    [',5', 'is empty'],
  ])('names the one item of a list that is wrong, or says that it is empty: %j', (text, problem) => {
    expect(refusal(MINUTE, text)).toBe(`${PATH}: minute ${problem}; 0-59, lists, ranges, steps and * are`);
  });

  it.each([
    '-5',
    '5-',
    '5--6',
    '1-2-3',
    '*/',
    '*/X',
    '*/5X',
    '5/1/2',
    '/5',
    '**',
    '*5',
    '*-5',
    '5-*',
    '1.5',
    '+5',
    '5X',
    'X5',
    '5/-1',
    'MON',
    'H5',
    'H(5)',
    '5 ',
  ])('has an item of no known form: %s', (text) => {
    expect(refusal(MINUTE, text)).toBe(
      `${PATH}: minute "${text}" is not allowed; 0-59, lists, ranges, steps and * are`,
    );
  });

  it.each(['*/0', '5/0', '1-5/00'])('has a step of less than 1: %s', (text) => {
    expect(refusal(MINUTE, text)).toBe(`${PATH}: minute "${text}": a step is at least 1`);
    expect(read(MINUTE, text.replace(/0+$/, '1')).values).not.toEqual([]);
  });

  it.each<[string, Field, string, string]>([
    ['mom', DAY_OF_WEEK, 'MOM', 'MON'],
    ['Tusday', DAY_OF_WEEK, 'TUSDAY', 'TUESDAY'],
    ['Frday', DAY_OF_WEEK, 'FRDAY', 'FRIDAY'],
    ['SUNN', DAY_OF_WEEK, 'SUNN', 'SUN'],
    ['FRO-SAT', DAY_OF_WEEK, 'FRO', 'FRI'],
    ['Marhc', MONTH, 'MARHC', 'MARCH'],
    ['Febuary', MONTH, 'FEBUARY', 'FEBRUARY'],
    ['APRL', MONTH, 'APRL', 'APR'],
    ['JAM', MONTH, 'JAM', 'JAN'],
  ])('asks whether a similar name was meant: %s', (text, field, word, name) => {
    const said = refusal(field, text);
    expect(said).toContain(`${PATH}: ${field.label} "${word}" is not allowed; `);
    expect(said).toMatch(new RegExp(`; did you mean ${name}\\?$`));
  });

  it.each<[string, Field]>([
    ['NEVER', DAY_OF_WEEK],
    ['XYZ', MONTH],
  ])('asks nothing where no name is similar: %s', (text, field) => {
    const said = refusal(field, text.replace('MONDAYS-', ''));
    expect(said).toMatch(/lists, ranges, steps and \* are$/);
  });

  it.each<[string, Field]>([
    ['MO', DAY_OF_WEEK],
    ['MOL', DAY_OF_WEEK],
    ['FR', DAY_OF_WEEK],
    ['JU', MONTH],
    ['JULL', MONTH],
    ['MONDAYX', DAY_OF_WEEK],
    ['XMON', DAY_OF_WEEK],
  ])('has a name that is too short, or that is none: %s', (text, field) => {
    expect(refusal(field, text)).toContain(`${field.label} "${text}" is not allowed`);
  });
});

describe('H in a cron field', () => {
  const hash = (field: Field) => documentedHash(`nightly\n${field.key}`);

  it.each<[string, Field, (h: number) => number[]]>([
    ['H', MINUTE, (h) => [h % 60]],
    ['h', MINUTE, (h) => [h % 60]],
    ['H(9-17)', HOUR, (h) => [9 + (h % 9)]],
    ['h(9-17)', HOUR, (h) => [9 + (h % 9)]],
    ['H', DAY_OF_MONTH, (h) => [1 + (h % 28)]],
    ['H(1-31)', DAY_OF_MONTH, (h) => [1 + (h % 31)]],
    ['H(0-6)', DAY_OF_WEEK, (h) => [h % 7]],
    ['H(MON-FRI)', DAY_OF_WEEK, (h) => [1 + (h % 5)]],
    ['H(JAN-mar)', MONTH, (h) => [1 + (h % 3)]],
    ['H(5-5)', MINUTE, () => [5]],
    ['H/20', MINUTE, (h) => [h % 20, (h % 20) + 20, (h % 20) + 40]],
    ['H(0-29)/10', MINUTE, (h) => [h % 10, (h % 10) + 10, (h % 10) + 20]],
    ['3,H,59', MINUTE, (h) => [3, h % 60, 59]],
    ['H/1', MONTH, () => [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ])('has the values of the documented formula: %s', (text, field, values) => {
    expect(read(field, text).values).toEqual(values(hash(field)));
  });

  it('takes the empty ID for an ID', () => {
    expect(read(MINUTE, 'H', '').values).toEqual([documentedHash('\nminute') % 60]);
  });

  it('needs the ID of a schedule', () => {
    const problem = 'H spreads schedules by their ID, so it needs a scheduleId';
    expect(refusal(MINUTE, 'H')).toBe(`${PATH}: minute "H": ${problem}`);
    expect(refusal(HOUR, '5,h/2')).toBe(`${PATH}: hour "h/2": ${problem}`);
  });

  it.each<[string, Field, string]>([
    ['H', YEAR, 'H is not allowed here'],
    ['H(2030-2040)', YEAR, 'H is not allowed here'],
    ['H(0-60)', MINUTE, 'the range of H lies in 0-59'],
    ['H(60-70)', MINUTE, 'the range of H lies in 0-59'],
    ['H(5-4)', MINUTE, 'the range of H lies in 0-59'],
    ['H(0-5)', DAY_OF_MONTH, 'the range of H lies in 1-31'],
    ['H(1-32)', DAY_OF_MONTH, 'the range of H lies in 1-31'],
    ['H(0-7)', DAY_OF_WEEK, 'the range of H lies in 0-6'],
    ['H/0', MINUTE, 'a step is at least 1'],
    ['H(0-29)/0', MINUTE, 'a step is at least 1'],
    ['h(5-4)', MINUTE, 'the range of H lies in 0-59'],
  ])('is refused with the reason: %s', (text, field, problem) => {
    expect(refusal(field, text, 'nightly')).toBe(`${PATH}: ${field.label} "${text}": ${problem}`);
  });
});
