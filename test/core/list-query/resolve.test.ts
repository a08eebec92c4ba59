import { describe, expect, it } from 'vitest';
import { type ListQuery, type ListValue, mapColumn, resolveQuery } from '../../../core/list-query/resolve';
import { refusal } from './refusal';

const condition = (query: string): ListQuery => resolveQuery(query)!.condition;

describe('a field that is compared as a whole', () => {
  const whole: [name: string, one: string, other: string][] = [
    ['source', `'a'`, `'b'`],
    ['state', `'live'`, `'paused'`],
    ['paused', 'true', 'false'],
    ['TemporalSchedulePaused', 'true', 'false'],
  ];

  it.each(whole)('may be equal or unequal to a value, one of several, or missing: %s', (name, one, other) => {
    for (const asked of [
      `= ${one}`,
      `!= ${one}`,
      `IN (${one}, ${other})`,
      `NOT IN (${one})`,
      'IS NULL',
      'IS NOT NULL',
    ]) {
      expect(resolveQuery(`${name} ${asked}`), asked).toBeDefined();
    }
  });

  it.each(whole)('has no order and no beginning: %s', (name, one, other) => {
    const problem = (operator: string) => `${name} supports only =, !=, IN and IS NULL, not ${operator}`;
    for (const operator of ['<', '<=', '>', '>=', 'STARTS_WITH']) {
      expect(refusal(`${name} ${operator} ${one}`)).toEqual({ position: 1, problem: problem(operator) });
    }
    expect(refusal(`${name} BETWEEN ${one} AND ${other}`)).toEqual({ position: 1, problem: problem('BETWEEN') });
  });
});

describe('a field with an order', () => {
  it.each([
    ['note', `'a'`, `'b'`],
    ['version', '1', '2'],
    ['createdAt', `'2026-01-01T00:00:00Z'`, `'2026-01-02T00:00:00Z'`],
  ])('may be compared by each operator: %s', (name, one, other) => {
    for (const operator of ['=', '!=', '<', '<=', '>', '>=']) {
      expect(condition(`${name} ${operator} ${one}`)).toMatchObject({ kind: 'compare', operator });
    }
    for (const asked of [`BETWEEN ${one} AND ${other}`, `IN (${one}, ${other})`, 'IS NULL']) {
      expect(resolveQuery(`${name} ${asked}`), asked).toBeDefined();
    }
  });

  it.each([
    ['version', '1'],
    ['createdAt', `'2026-01-01T00:00:00Z'`],
  ])('has a beginning only if it is a text: %s', (name, value) => {
    expect(refusal(`note = 'a' AND ${name} STARTS_WITH ${value}`)).toEqual({
      position: 16,
      problem: `${name} is not a text`,
    });
  });
});

describe('each value of a field is checked, and read as its type', () => {
  it('in a list', () => {
    expect(condition(`createdAt IN ('2026-01-01T00:00:00Z', '2026-01-01T00:00:00+01:00')`)).toEqual({
      kind: 'in',
      field: { column: 'createdAt' },
      values: [new Date('2026-01-01T00:00:00Z'), new Date('2025-12-31T23:00:00Z')],
    });
    expect(refusal(`version IN (1, 'x')`)).toMatchObject({ position: 16 });
  });

  it('at both ends of BETWEEN', () => {
    expect(condition(`createdAt BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'`)).toEqual({
      kind: 'between',
      field: { column: 'createdAt' },
      from: new Date('0001-01-01T00:00:00Z'),
      to: new Date('9999-12-31T23:59:59.999Z'),
    });
    expect(refusal(`version BETWEEN 'x' AND 2`)).toMatchObject({ position: 17 });
    expect(refusal(`version BETWEEN 1 AND 'x'`)).toMatchObject({ position: 23 });
  });
});

describe('a search attribute', () => {
  const field = { attribute: 'Flag' };

  it('may be compared with true and false as a whole', () => {
    expect(condition('Flag = true')).toEqual({ kind: 'compare', field, operator: '=', value: true });
    expect(condition('Flag != false')).toEqual({ kind: 'compare', field, operator: '!=', value: false });
    expect(condition('Flag IN (true, false)')).toEqual({ kind: 'in', field, values: [true, false] });
  });

  it.each<[string, number]>([
    ['Flag < true', 8],
    ['Flag <= true', 9],
    ['Flag > true', 8],
    ['Flag >= false', 9],
    ['Flag STARTS_WITH true', 18],
    ['Flag BETWEEN false AND true', 14],
  ])('has no order of true and false: %s', (query, position) => {
    expect(refusal(query)).toEqual({ position, problem: 'true and false are compared only by =, != and IN' });
  });

  it('may start with a text, and with nothing else', () => {
    expect(condition(`Flag STARTS_WITH 'a'`)).toEqual({ kind: 'startsWith', field, value: 'a' });
    expect(refusal('Flag STARTS_WITH 1')).toEqual({ position: 18, problem: 'Flag starts with a text, not with 1' });
  });

  it('lies between two values of one type', () => {
    expect(condition('Flag BETWEEN 1 AND 2')).toEqual({ kind: 'between', field, from: 1, to: 2 });
    expect(condition(`Flag BETWEEN 'a' AND 'b'`)).toEqual({ kind: 'between', field, from: 'a', to: 'b' });
    expect(refusal(`Flag BETWEEN 'a' AND 2`)).toEqual({
      position: 22,
      problem: 'both ends of BETWEEN must have the same type',
    });
  });

  it('may be one of values of several types, since schedules may differ', () => {
    expect(condition(`Flag IN (1, 'a', true)`)).toEqual({ kind: 'in', field, values: [1, 'a', true] });
  });

  it('may be missing', () => {
    expect(condition('Flag IS NULL')).toEqual({ kind: 'isNull', field });
  });

  it('keeps the text of a time, since its type is not known', () => {
    const value = '2026-01-01T00:00:00+01:00';
    expect(condition(`Flag >= '${value}'`)).toEqual({ kind: 'compare', field, operator: '>=', value });
  });

  it.each<[string, number, string]>([
    [`Flag = '0000-12-31T23:59:59Z'`, 8, '0000-12-31T23:59:59Z'],
    [`Flag = '+010000-01-01T00:00:00Z'`, 8, '+010000-01-01T00:00:00Z'],
    [`Flag BETWEEN '2026-01-01T00:00:00Z' AND '+010000-01-01T00:00:00Z'`, 41, '+010000-01-01T00:00:00Z'],
  ])('has times only in the years 1 to 9999: %s', (query, position, time) => {
    expect(refusal(query)).toEqual({ position, problem: `"${time}" is not in the years 1 to 9999` });
  });

  it('has a name', () => {
    expect(refusal("note = 'a' AND `` = 1")).toEqual({ position: 16, problem: 'the name is empty' });
  });
});

describe('mapColumn', () => {
  const upper = (value: ListValue) => String(value).toUpperCase();
  const mapped = (query: string) => mapColumn(condition(query), 'source', upper);

  it.each<[query: string, same: string]>([
    [`source = 'a'`, `source = 'A'`],
    [`source != 'a'`, `source != 'A'`],
    [`source IN ('a', 'b')`, `source IN ('A', 'B')`],
    [`source NOT IN ('a')`, `source NOT IN ('A')`],
    [`NOT (source = 'a' OR source = 'b')`, `NOT (source = 'A' OR source = 'B')`],
    [`source = 'a' AND note = 'a'`, `source = 'A' AND note = 'a'`],
    [`note = 'a' OR (paused = true AND source = 'a')`, `note = 'a' OR (paused = true AND source = 'A')`],
  ])('replaces the values of its column, however deep: %s', (query, same) => {
    expect(mapped(query)).toEqual(condition(same));
  });

  it.each([
    'source IS NULL',
    `note = 'a'`,
    `note IN ('a')`,
    `\`source\` = 'a'`,
    `Team IN ('a')`,
    `NOT note STARTS_WITH 'a'`,
  ])('leaves everything else as it is: %s', (query) => {
    expect(mapped(query)).toEqual(condition(query));
  });

  it('leaves a beginning and two ends as they are, since the names between them are others', () => {
    for (const query of [`note STARTS_WITH 'a'`, `note BETWEEN 'a' AND 'b'`]) {
      expect(mapColumn(condition(query), 'note', upper)).toEqual(condition(query));
    }
  });
});
