import { describe, expect, it } from 'vitest';
import { parseQuery, type WrittenQuery } from '../../../core/list-query/parse';
import { refusal } from './refusal';

/** A parsed filter in short, with a word before each part, so that its structure is seen. */
function short(query: WrittenQuery): string {
  const value = ({ value }: { value: unknown }) => JSON.stringify(value);
  switch (query.kind) {
    case 'all':
    case 'any':
      return `${query.kind}(${query.of.map(short).join(' ')})`;
    case 'not':
      return `not(${short(query.of)})`;
    case 'compare':
      return `${query.field.name}${query.operator}${value(query.value)}`;
    case 'in':
      return `${query.field.name}:${query.values.map(value).join('|')}`;
    case 'between':
      return `${query.field.name}:${value(query.from)}..${value(query.to)}`;
    case 'startsWith':
      return `${query.field.name}:${value(query.value)}…`;
    case 'isNull':
      return `${query.field.name}:none`;
  }
}

const read = (query: string) => short(parseQuery(query)!);

describe('a list filter', () => {
  it.each<[string, string]>([
    ['a = 1', 'a=1'],
    ['a != 1', 'a!=1'],
    ['a < 1', 'a<1'],
    ['a <= 1', 'a<=1'],
    ['a > 1', 'a>1'],
    ['a >= 1', 'a>=1'],
    ['a IN (1)', 'a:1'],
    ["a IN (1, 'b', TRUE)", 'a:1|"b"|true'],
    ['a BETWEEN 1 AND 2', 'a:1..2'],
    ["a STARTS_WITH 'b'", 'a:"b"…'],
    ['a IS NULL', 'a:none'],
    ['a IS NOT NULL', 'not(a:none)'],
    ['a NOT IN (1, 2)', 'not(a:1|2)'],
    ['a NOT BETWEEN 1 AND 2', 'not(a:1..2)'],
    ["a NOT STARTS_WITH 'b'", 'not(a:"b"…)'],
  ])('compares a field by %s', (query, structure) => {
    expect(read(query)).toBe(structure);
  });

  it.each<[string, string]>([
    ['a=1 AND b=2 AND c=3', 'all(a=1 b=2 c=3)'],
    ['a=1 OR b=2 OR c=3', 'any(a=1 b=2 c=3)'],
    ['a=1 OR b=2 AND c=3', 'any(a=1 all(b=2 c=3))'],
    ['a=1 AND b=2 OR c=3', 'any(all(a=1 b=2) c=3)'],
    ['(a=1 OR b=2) AND c=3', 'all(any(a=1 b=2) c=3)'],
    ['NOT a=1 AND b=2', 'all(not(a=1) b=2)'],
    ['NOT (a=1 AND b=2)', 'not(all(a=1 b=2))'],
    ['NOT NOT a=1', 'not(not(a=1))'],
    ['((a=1))', 'a=1'],
    ['a BETWEEN 1 AND 2 AND b=3', 'all(a:1..2 b=3)'],
    ['a between 1 and 2 or Not b is null', 'any(a:1..2 not(b:none))'],
    ['a = true AND b = False', 'all(a=true b=false)'],
  ])('binds NOT before AND before OR, in any case of letters: %s', (query, structure) => {
    expect(read(query)).toBe(structure);
  });

  it('keeps where each field and value is, and which names are in backticks', () => {
    expect(parseQuery('Team = 1 OR `and` IN (2, 3)')).toEqual({
      kind: 'any',
      of: [
        {
          kind: 'compare',
          field: { name: 'Team', isQuoted: false, position: 1 },
          operator: '=',
          value: { value: 1, position: 8 },
        },
        {
          kind: 'in',
          field: { name: 'and', isQuoted: true, position: 13 },
          values: [
            { value: 2, position: 23 },
            { value: 3, position: 26 },
          ],
        },
      ],
    });
  });

  it('is read up to 10,000 characters', () => {
    const query = (length: number) => `note = '${'x'.repeat(length - 9)}'`;
    expect(parseQuery(query(10_000))).toMatchObject({ kind: 'compare' });
    expect(refusal(query(10_001))).toEqual({ position: 10_001, problem: 'is longer than 10000 characters' });
  });

  it.each<[string, (depth: number) => string]>([
    ['parentheses', (depth) => `${'('.repeat(depth)}a=1${')'.repeat(depth)}`],
    ['NOT', (depth) => `${'NOT '.repeat(depth)}a=1`],
    ['both', (depth) => `${'NOT '.repeat(depth - 25)}${'('.repeat(25)}a=1${')'.repeat(25)}`],
  ])('is nested 50 deep at most: %s', (_, nested) => {
    expect(parseQuery(nested(50))).toBeDefined();
    expect(refusal(nested(51)).problem).toBe('is nested more than 50 deep');
  });

  it('may have more than 50 parts beside each other', () => {
    expect(parseQuery(Array.from({ length: 60 }, () => '(NOT a=1)').join(' AND '))).toMatchObject({ kind: 'all' });
  });
});

describe('the words of the grammar', () => {
  const WORDS = 'AND OR NOT IN BETWEEN STARTS_WITH IS NULL TRUE FALSE ORDER GROUP'.split(' ');

  // After NOT, since NOT itself may begin a filter.
  it.each(WORDS.flatMap((word) => [word, word.toLowerCase()]))('are no names of fields: %s', (word) => {
    const { problem } = refusal(`NOT ${word} = 1`);
    const shown = word.toUpperCase() === 'NOT' ? '=' : word;
    expect(problem).toBe(`the name of a field is expected instead of ${JSON.stringify(shown)}`);
  });

  it.each(WORDS)('are names in backticks: %s', (word) => {
    expect(read(`\`${word}\` = 1`)).toBe(`${word}=1`);
    expect(read(`a = 1 AND \`${word}\` = 1`)).toBe(`all(a=1 ${word}=1)`);
  });

  it.each<[string, number, string]>([
    ['note `=` 1', 6, 'are expected after a field instead of "="'],
    ['note `IS` NULL', 6, 'are expected after a field instead of "IS"'],
    ['note = `TRUE`', 8, 'a value is expected instead of "TRUE"'],
    ['note IN `(`1)', 9, '"(" is expected instead of "("'],
    ["note IN ('a' `,` 'b')", 14, '")" is expected instead of ","'],
    ["note IN ('a' `)`", 14, '")" is expected instead of ")"'],
    ['note = 1 `AND` note = 2', 10, 'AND, OR or the end is expected instead of "AND"'],
  ])('and its signs mean themselves only outside of backticks: %s', (query, position, problem) => {
    expect(refusal(query)).toEqual({ position, problem: expect.stringContaining(problem) });
  });

  it('leave a name of signs to be a field', () => {
    expect(read('`(` = 1')).toBe('(=1');
  });
});

describe('a list filter is refused with what is expected and what is there', () => {
  it.each<[string, number, string]>([
    [
      `note LIKE 'x%'`,
      6,
      '=, !=, <, <=, >, >=, IN, BETWEEN, STARTS_WITH, IS are expected after a field instead of "LIKE"',
    ],
    [`note NOT LIKE 'x%'`, 10, 'IN, BETWEEN, STARTS_WITH are expected after a field instead of "LIKE"'],
    [`note NOT 'x'`, 10, 'IN, BETWEEN, STARTS_WITH are expected after a field instead of "x"'],
    [`note NOT 3`, 10, 'IN, BETWEEN, STARTS_WITH are expected after a field instead of 3'],
    [`note NOT`, 9, 'IN, BETWEEN, STARTS_WITH are expected after a field instead of the end'],
    [`note IS 3`, 9, 'NULL is expected instead of 3'],
    [`note IS NOT`, 12, 'NULL is expected instead of the end'],
    [`note BETWEEN 1, 2`, 15, 'AND is expected instead of ","'],
    [`note BETWEEN 1 OR 2`, 16, 'AND is expected instead of "OR"'],
    [`note = x`, 8, 'a value is expected instead of "x"; put texts in quotes'],
    [`note = NULL`, 8, 'a value is expected instead of "NULL"; put texts in quotes'],
    [`note = (`, 8, 'a value is expected instead of "("'],
    [`note =`, 7, 'a value is expected instead of the end'],
    [`note IN 'a'`, 9, '"(" is expected instead of "a"'],
    [`note IN ('a',)`, 14, 'a value is expected instead of ")"'],
    [`note IN ('a' 'b')`, 14, '")" is expected instead of "b"'],
    [`(note = 'a'`, 12, '")" is expected instead of the end'],
    [`()`, 2, 'the name of a field is expected instead of ")"'],
    [`'note' = 1`, 1, 'the name of a field is expected instead of "note"'],
    [`5 = 5`, 1, 'the name of a field is expected instead of 5'],
    [`note = 1 AND`, 13, 'the name of a field is expected instead of the end'],
    [`note = 1 ORDER BY note`, 10, 'the order is given beside the filter, by orderBy'],
    ['note (', 6, '=, !=, <, <=, >, >=, IN, BETWEEN, STARTS_WITH, IS are expected after a field instead of "("'],
    ["note 'x'", 6, '=, !=, <, <=, >, >=, IN, BETWEEN, STARTS_WITH, IS are expected after a field instead of "x"'],
    [`note = 1 ADN note = 2`, 10, 'AND, OR or the end is expected instead of "ADN"; did you mean AND?'],
    [`note = 1 ORR note = 2`, 10, 'AND, OR or the end is expected instead of "ORR"; did you mean OR?'],
    [`note = 1 XYZ note = 2`, 10, 'AND, OR or the end is expected instead of "XYZ"'],
    [`note = 1)`, 9, 'AND, OR or the end is expected instead of ")"'],
    [`note = 1 2`, 10, 'AND, OR or the end is expected instead of 2'],
    [`note = 1e309`, 8, 'the number is too large'],
    [`note = 'a\0'`, 8, 'the text has characters that cannot be stored'],
    [`note = 'a\ud83d'`, 8, 'the text has characters that cannot be stored'],
  ])('%s', (query, position, problem) => {
    expect(refusal(query)).toEqual({ position, problem });
  });

  it.each<[string, string]>([
    ['INN', 'IN'],
    ['BETWEN', 'BETWEEN'],
    ['STARTSWITH', 'STARTS_WITH'],
    ['ISS', 'IS'],
  ])('with the word that was probably meant: %s', (word, meant) => {
    expect(refusal(`note ${word} 1`).problem).toMatch(`instead of "${word}"; did you mean ${meant}?`);
  });
});
