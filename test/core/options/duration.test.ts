import { describe, expect, it } from 'vitest';
import { durationInWords, isDuration, isTooLong, millisecondsOf } from '../../../core/duration';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A year of `ms` has 365.25 days. */
const HUNDRED_YEARS = 36_525 * DAY;

describe('the milliseconds of', () => {
  it.each<[string, unknown, number]>([
    ['a number are that number', 1_500, 1_500],
    ['0 are 0', 0, 0],
    ['a fraction are that fraction', 0.5, 0.5],
    ['a number below 0 are below 0', -5, -5],
    ['a text without a unit are its number', '250', 250],
    ['seconds', '5 seconds', 5_000],
    ['a short unit', '90m', 90 * 60_000],
    ['hours', '2h', 2 * HOUR],
    ['days', '1 day', DAY],
    ['weeks', '2 weeks', 14 * DAY],
    ['a year are 365.25 days', '1 year', 365.25 * DAY],
    ['a text in upper case', '3 DAYS', 3 * DAY],
    ['a text with a fraction', '1.5h', 1.5 * HOUR],
    ['a text below 0 are below 0', '-1s', -1_000],
    ['more than a hundred years', '200 years', 2 * HUNDRED_YEARS],
    ['a text of a hundred characters', `1${' '.repeat(98)}s`, 1_000],
  ])('%s', (_, value, expected) => {
    expect(millisecondsOf(value)).toBe(expected);
  });
});

describe('no milliseconds are read from', () => {
  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['a blank', ' '],
    ['a text without a number', 'soon'],
    ['an unknown unit', '3 moons'],
    ['two units at once', '1h 30m'],
    ['a text of 101 characters', `1${' '.repeat(99)}s`],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['undefined', undefined],
    ['null', null],
    ['true', true],
    ['a bigint', 5n],
    ['an object', { seconds: 5 }],
    ['a list of one text', ['5s']],
    ['a Date', new Date(5_000)],
  ])('%s', (_, value) => {
    expect(millisecondsOf(value)).toBeUndefined();
  });
});

describe('a duration', () => {
  it.each<[string, unknown, boolean]>([
    ['may be a millisecond', 1, true],
    ['may be a part of a millisecond', 0.5, true],
    ['may be a text', '90 minutes', true],
    ['may be a hundred years', HUNDRED_YEARS, true],
    ['may be a hundred years as a text', '100 years', true],
    ['is no longer than a hundred years', HUNDRED_YEARS + 1, false],
    ['is not a text of more than a hundred years', '101 years', false],
    ['is not 0', 0, false],
    ['is not 0 as a text', '0s', false],
    ['is not below 0', -1, false],
    ['is not a text below 0', '-1 hour', false],
    ['is not a text without a number', 'soon', false],
    ['is not an empty text', '', false],
    ['is not infinity', Number.POSITIVE_INFINITY, false],
    ['is not left out', undefined, false],
    ['is not null', null, false],
  ])('%s', (_, value, expected) => {
    expect(isDuration(value)).toBe(expected);
  });
});

it('a time is too long from just after a hundred years', () => {
  expect(isTooLong(HUNDRED_YEARS)).toBe(false);
  expect(isTooLong(HUNDRED_YEARS + 1)).toBe(true);
  expect(isTooLong(0)).toBe(false);
  expect(isTooLong(-HUNDRED_YEARS - 1)).toBe(false);
});

describe('a duration in words', () => {
  it.each<[string, number, string]>([
    ['is singular for one', MINUTE, '1 minute'],
    ['of 60 minutes is an hour', HOUR, '1 hour'],
    ['of 90 seconds is not rounded', 1.5 * MINUTE, '1 minute 30 seconds'],
    ['of 90 minutes is not rounded', 1.5 * HOUR, '1 hour 30 minutes'],
    ['of 36 hours is not rounded', 1.5 * DAY, '1 day 12 hours'],
    ['of many days has no larger unit', 90 * DAY, '90 days'],
    ['of a whole year is a year', 365.25 * DAY, '1 year'],
    ['of 365 days is no year', 365 * DAY, '365 days'],
    ['leaves out units that are 0', DAY + MINUTE, '1 day 1 minute'],
    ['has each unit that it needs', DAY + HOUR + MINUTE + 1_000, '1 day 1 hour 1 minute 1 second'],
    ['has parts of a second below a minute', 1_500, '1.5 seconds'],
    ['has no parts of a second from a minute on', MINUTE + 1_500, '1 minute 1 second'],
    ['below a second is in milliseconds', 250, '250 ms'],
    ['may be 0', 0, '0 ms'],
  ])('%s', (_, milliseconds, expected) => {
    expect(durationInWords(milliseconds)).toBe(expected);
  });
});
