import { type SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { parseSearchAttributes, searchAttributePayloads } from '../../../core/definition/search-attributes';
import { refusalBy } from '../../support/refusal';

const DAY = new Date('2026-02-03T00:00:00Z');
const NEXT_DAY = new Date('2026-02-04T00:00:00Z');
const NUL = 'a\u0000b';
const HALF = 'a\ud800';

const untyped = (searchAttributes: unknown) => parseSearchAttributes('', { searchAttributes });
const typed = (type: string, value: unknown) =>
  parseSearchAttributes('', { typedSearchAttributes: [{ key: { name: 'Any', type }, value }] });

/** A list with holes after the items. */
const holed = (length: number, ...items: unknown[]) => Object.assign(new Array(length), items);

/** The message of the refusal, which starts with the path. */
const refusal = (parse: () => unknown) => refusalBy(parse).message;

describe('search attributes', () => {
  it('are none if neither form is given, and an empty object if one is given empty', () => {
    expect(parseSearchAttributes('', {})).toBeUndefined();
    for (const empty of [{}, null]) expect(untyped(empty)).toEqual({});
    for (const typedSearchAttributes of [[], new TypedSearchAttributes(), null]) {
      expect(parseSearchAttributes('', { typedSearchAttributes })).toEqual({});
    }
  });

  it('of both forms are stored together, the typed form first where both have a name', () => {
    const both = {
      searchAttributes: { Team: ['billing'], Count: [7] },
      typedSearchAttributes: [
        { key: { name: 'Region', type: 'KEYWORD' }, value: 'emea' },
        { key: { name: 'Count', type: 'INT' }, value: 42 },
      ],
    };
    expect(parseSearchAttributes('', both)).toEqual({
      Team: { value: ['billing'] },
      Region: { type: 'Keyword', value: 'emea' },
      Count: { type: 'Int', value: 42 },
    });
  });

  it.each([
    ['', 'searchAttributes', 'typedSearchAttributes'],
    ['action', 'action.searchAttributes', 'action.typedSearchAttributes'],
  ])('of the parent "%s" are refused at %s and %s', (parent, untypedPath, typedPath) => {
    expect(refusal(() => parseSearchAttributes(parent, { searchAttributes: 5 }))).toMatch(`${untypedPath}: 5 is`);
    expect(refusal(() => parseSearchAttributes(parent, { typedSearchAttributes: 5 }))).toMatch(`${typedPath}: 5 is`);
  });

  it.each(['TemporalScheduledById', 'TemporalScheduledStartTime'])('cannot set %s, which Escapement sets', (name) => {
    const typedSearchAttributes = [{ key: { name, type: 'KEYWORD' }, value: 'x' }];
    const problem = 'is set by Escapement itself';
    expect(refusal(() => untyped({ [name]: ['x'] }))).toBe(`searchAttributes.${name}: ${problem}`);
    expect(refusal(() => parseSearchAttributes('', { typedSearchAttributes }))).toMatch(`.${name}: ${problem}`);
  });

  it.each(['', NUL, HALF, '__proto__'])('cannot have the name %j', (name) => {
    const typedSearchAttributes = [{ key: { name, type: 'KEYWORD' }, value: 'x' }];
    const problem = 'is not a name of a search attribute';
    expect(refusal(() => untyped({ [name]: ['x'] }))).toBe(`searchAttributes.${name}: ${problem}`);
    expect(refusal(() => parseSearchAttributes('', { typedSearchAttributes }))).toMatch(`.${name}: ${problem}`);
  });

  it('may have a name that every object has', () => {
    expect(untyped({ constructor: ['x'] })).toEqual({ constructor: { value: ['x'] } });
  });
});

describe('an untyped search attribute', () => {
  it.each<[string, unknown[]]>([
    ['texts', ['billing', '']],
    ['numbers', [0, -1, 1.5]],
    ['booleans', [true, false]],
    ['one text', ['billing']],
    ['nothing', []],
  ])('with a list of %s is stored as it is, and the server knows its type', (_, values) => {
    expect(untyped({ Any: values })).toEqual({ Any: { value: values } });
  });

  it('with dates is of the type Datetime: a single date is a text, and several are a list', () => {
    const single = { type: 'Datetime', value: '2026-02-03T00:00:00.000Z' };
    expect(untyped({ Any: [DAY] })).toEqual({ Any: single });
    const list = ['2026-02-03T00:00:00.000Z', '2026-02-04T00:00:00.000Z'];
    expect(untyped({ Any: [DAY, NEXT_DAY] })).toEqual({ Any: { type: 'Datetime', value: list } });
  });

  it('that is undefined is left out', () => {
    expect(untyped({ Team: undefined, Region: ['emea'] })).toEqual({ Region: { value: ['emea'] } });
  });

  it('is stored as it is now: a later change of the list does not reach it', () => {
    const values = ['billing'];
    const parsed = untyped({ Any: values });
    values.push('ops');
    expect(parsed).toEqual({ Any: { value: ['billing'] } });
  });

  it.each<[string, unknown[]]>([
    ['a text and a number', ['1', 1]],
    ['a number and a boolean', [1, true]],
    ['a boolean and a text', [true, 'true']],
    ['a date and a text', [DAY, '2026-02-03T00:00:00Z']],
    ['a text and a date', ['2026-02-03T00:00:00Z', DAY]],
    ['a number that JSON has not', [Number.NaN]],
    ['a later infinite number', [1, Number.POSITIVE_INFINITY]],
    ['an invalid date', [new Date(Number.NaN)]],
    ['a later date that Postgres has not', [DAY, new Date('+010000-01-01T00:00:00Z')]],
    ['null', [null]],
    ['undefined', [undefined]],
    ['objects', [{}]],
    ['lists', [['x']]],
    ['a hole', holed(1)],
    ['a later hole', holed(2, 'x')],
    ['a hole after a date', holed(2, DAY)],
  ])('with %s in its list is refused', (_, values) => {
    expect(refusal(() => untyped({ Right: ['x'], Any: values }))).toBe(
      'searchAttributes.Any: is not a list of texts, of numbers, of booleans or of dates',
    );
  });

  it.each([['billing'], [5], [null], [{ value: ['x'] }]])('that is %j is refused: it is no list', (value) => {
    expect(refusal(() => untyped({ Any: value }))).toBe(`searchAttributes.Any: ${JSON.stringify(value)} is not a list`);
  });

  it.each([['x'], [5], [true], [['x']]])('is refused in %j: that is no object', (given) => {
    expect(refusal(() => untyped(given))).toBe(
      `searchAttributes: ${JSON.stringify(given)} is not an object of lists by name`,
    );
  });
});

/** Of each type its name on the server, values that it may have, and values that it may not have. */
const TYPES: Record<SearchAttributeType, [server: string, right: unknown[], wrong: unknown[]]> = {
  TEXT: ['Text', ['a text', ''], [5, true, null, undefined, ['x'], DAY]],
  // What looks like a date stays a text.
  KEYWORD: ['Keyword', ['emea', '2026-02-03T00:00:00Z'], [5, true, null, undefined, ['x'], DAY]],
  INT: ['Int', [0, -7], [1.5, Number.NaN, Number.POSITIVE_INFINITY, '7', true, null, undefined, [7]]],
  DOUBLE: ['Double', [0, -1.5], [Number.NaN, Number.POSITIVE_INFINITY, '1.5', true, null, undefined, [1.5]]],
  BOOL: ['Bool', [true, false], ['true', 0, 1, null, undefined, [true]]],
  DATETIME: ['Datetime', [], [5, true, null, undefined, [DAY], ['2026-02-03T00:00:00Z'], new Date(Number.NaN)]],
  KEYWORD_LIST: [
    'KeywordList',
    [['a', 'b'], ['a'], []],
    ['a', 5, null, undefined, ['a', 5], [5, 'a'], [null], holed(2, 'a')],
  ],
};
const EVERY_TYPE = Object.entries(TYPES).map(([type, rest]) => [type, ...rest] as const);

describe('a typed search attribute', () => {
  it.each(EVERY_TYPE)('of the type %s is stored with the name of the type on the server, %s', (type, server, right) => {
    for (const value of right) expect(typed(type, value)).toEqual({ Any: { type: server, value } });
  });

  it.each(EVERY_TYPE)('of the type %s is refused with a value of another type', (...[type, , , wrong]) => {
    for (const value of wrong) {
      const message = refusal(() => typed(type, value));
      expect(message, String(value)).toMatch(/^typedSearchAttributes\.Any: /);
      expect(message, String(value)).toMatch(new RegExp(` is no ${type}$`));
    }
  });

  it.each<[Date | string, string]>([
    [DAY, '2026-02-03T00:00:00.000Z'],
    ['2026-02-03T00:00:00.000Z', '2026-02-03T00:00:00.000Z'],
    ['2026-02-03T14:05Z', '2026-02-03T14:05:00.000Z'],
    ['2026-02-03T14:05:09Z', '2026-02-03T14:05:09.000Z'],
    ['2026-02-03T14:05:09.25Z', '2026-02-03T14:05:09.250Z'],
    ['2026-02-03T14:05:09.123456789Z', '2026-02-03T14:05:09.123Z'],
    ['2026-02-03T00:30:00+01:00', '2026-02-02T23:30:00.000Z'],
    ['2026-02-03T23:30-05:45', '2026-02-04T05:15:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('of the type DATETIME takes %s, as a date or as JSON writes it', (value, stored) => {
    expect(typed('DATETIME', value)).toEqual({ Any: { type: 'Datetime', value: stored } });
  });

  it.each([
    ['2026-02-03', 'has no time'],
    ['2026-02-03T00:00:00', 'has no offset'],
    ['2026-02-30T00:00:00Z', 'is no day'],
    ['2027-02-29T00:00:00Z', 'is no day of that year'],
    ['2026-02-03T25:00:00Z', 'has no such hour'],
    ['2026-02-03T00:60:00Z', 'has no such minute'],
    ['0000-12-31T00:00:00Z', 'is before the year 1'],
    ['0001-01-01T00:30:00+01:00', 'is before the year 1 in UTC'],
    ['9999-12-31T23:30:00-01:00', 'is after the year 9999 in UTC'],
    ['+002026-02-03T00:00:00Z', 'has a sign before the year'],
    ['2026-02-03T00:00:00Z\u0000', 'has a character after the end'],
    ['Tue Feb 03 2026 00:00:00 GMT', 'is not ISO 8601'],
  ])('of the type DATETIME refuses the text %j, which %s', (value) => {
    expect(refusal(() => typed('DATETIME', value))).toBe(
      `typedSearchAttributes.Any: ${JSON.stringify(value)} is no DATETIME`,
    );
  });

  it.each(['WRONG', 'Keyword', 'keyword', '', 'toString', undefined, null, 5])('of the type %s is refused', (type) => {
    expect(refusal(() => typed(type as never, 'x'))).toBe(
      `typedSearchAttributes.Any: ${JSON.stringify(type)} is no type; ` +
        'TEXT, KEYWORD, INT, DOUBLE, BOOL, DATETIME, KEYWORD_LIST are',
    );
  });

  it('may be in TypedSearchAttributes, also of another copy of the SDK', () => {
    const pairs = [{ key: { name: 'Any', type: 'INT' as const }, value: 42 }];
    for (const typedSearchAttributes of [new TypedSearchAttributes(pairs), { getAll: () => pairs }]) {
      expect(parseSearchAttributes('', { typedSearchAttributes })).toEqual({ Any: { type: 'Int', value: 42 } });
    }
  });

  it.each([['x'], [5], [true], [{}], [{ getAll: 5 }]])('is refused in %j', (typedSearchAttributes) => {
    expect(refusal(() => parseSearchAttributes('', { typedSearchAttributes }))).toBe(
      `typedSearchAttributes: ${JSON.stringify(typedSearchAttributes)} is neither TypedSearchAttributes nor a list of pairs`,
    );
  });

  it.each([[null], [undefined], [5], ['x'], [{}], [{ key: null }], [{ key: { type: 'INT' }, value: 1 }]])(
    'is refused by its index as %j: that is no pair',
    (pair) => {
      const typedSearchAttributes = [{ key: { name: 'Any', type: 'INT' }, value: 42 }, pair];
      expect(refusal(() => parseSearchAttributes('', { typedSearchAttributes }))).toBe(
        'typedSearchAttributes.1: is not a pair of a key and a value',
      );
    },
  );
});

describe('the payloads of search attributes', () => {
  it('are none for none', () => {
    expect(searchAttributePayloads(undefined)).toEqual({});
    expect(searchAttributePayloads({})).toEqual({});
  });

  it('are plain JSON, with the type where it is known', () => {
    const payloads = searchAttributePayloads({
      Team: { value: ['billing', '€'] },
      Count: { type: 'Int', value: 42 },
    });
    const texts = Object.entries(payloads).map(([name, { metadata, data }]) => [
      name,
      Object.fromEntries(Object.entries(metadata!).map(([key, bytes]) => [key, Buffer.from(bytes).toString()])),
      Buffer.from(data!).toString(),
    ]);
    expect(texts).toEqual([
      ['Team', { encoding: 'json/plain' }, '["billing","€"]'],
      ['Count', { encoding: 'json/plain', type: 'Int' }, '42'],
    ]);
  });
});
