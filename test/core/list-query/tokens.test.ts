import { describe, expect, it } from 'vitest';
import { tokensOf } from '../../../core/list-query/tokens';

/** The tokens of a filter, without the end. */
const all = (query: string) => tokensOf(query).slice(0, -1);
const value = (of: string | number) => [{ kind: 'value', value: of, position: 1 }];

describe('a number in a list filter', () => {
  it.each<[string, number]>([
    ['7', 7],
    ['120', 120],
    ['+3', 3],
    ['-42', -42],
    ['0.5', 0.5],
    ['12.25', 12.25],
    ['12.', 12],
    ['.5', 0.5],
    ['-.125', -0.125],
    ['2e3', 2_000],
    ['2E3', 2_000],
    ['2e+3', 2_000],
    ['2e-3', 0.002],
    ['1.5e12', 1_500_000_000_000],
  ])('is read whole: %s', (text, number) => {
    expect(all(text)).toEqual(value(number));
  });

  it('ends before what cannot continue it', () => {
    expect(all('1.5.2')).toMatchObject([{ value: 1.5 }, { value: 0.2, position: 4 }]);
    expect(all('1e')).toMatchObject([{ value: 1 }, { kind: 'name', text: 'e', position: 2 }]);
    expect(all('3-2')).toMatchObject([{ value: 3 }, { value: -2, position: 2 }]);
  });
});

describe('a text in a list filter', () => {
  it.each<[string, string]>([
    [`''`, ''],
    [`""`, ''],
    [`'two words'`, 'two words'],
    [`'it''s'`, `it's`],
    [`'it\\'s'`, `it's`],
    [`'say "hi"'`, 'say "hi"'],
    [`"say ""hi"""`, 'say "hi"'],
    [`"say \\"hi\\""`, 'say "hi"'],
    [`"it's"`, `it's`],
    [`"it''s"`, `it''s`],
    [`'say ""hi""'`, 'say ""hi""'],
    [`'a\\\\'`, 'a\\'],
    [`'a\\nb'`, 'anb'],
    [`'a\\ b'`, 'a b'],
    [`"a\\ b"`, 'a b'],
    [`'a\\\nb'`, 'a\nb'],
    [`"a\\\nb"`, 'a\nb'],
    [`'first\nsecond'`, 'first\nsecond'],
    [`'a\`b'`, 'a`b'],
  ])('is without its quotes, with each escaped or doubled character once: %s', (written, text) => {
    expect(all(written)).toEqual(value(text));
  });

  it.each(["'a", '"a', '`a', `'a\\'`, "'"])('is refused where its quote does not end: %s', (written) => {
    expect(() => tokensOf(`note = ${written}`)).toThrow('character 8: the quote does not end');
  });
});

describe('a name in a list filter', () => {
  const name = (text: string, isQuoted: boolean) => [{ kind: 'name', text, isQuoted, position: 1 }];

  it.each(['a', 'Z', '_', 'taskQueue', 'Team_2', '_1'])('may be written without backticks: %s', (text) => {
    expect(all(text)).toEqual(name(text, false));
  });

  it.each<[string, string]>([
    ['`a`', 'a'],
    ['``', ''],
    ['`two words`', 'two words'],
    ['`a``b`', 'a`b'],
    ['`a\\`b`', 'a`b'],
    ['`a\\ b`', 'a b'],
    ['`it\'s "x"`', 'it\'s "x"'],
  ])('may have any characters in backticks: %s', (written, text) => {
    expect(all(written)).toEqual(name(text, true));
  });
});

describe('the tokens of a list filter', () => {
  it.each(['=', '!=', '<', '<=', '>', '>=', '(', ')', ','])('have the sign %s', (sign) => {
    expect(all(sign)).toEqual([{ kind: 'sign', text: sign, position: 1 }]);
  });

  it('are told apart without spaces between them', () => {
    expect(all(`a<=1,'b')`)).toMatchObject([
      { text: 'a' },
      { text: '<=' },
      { value: 1 },
      { text: ',' },
      { value: 'b' },
      { text: ')' },
    ]);
  });

  it('have their positions, counted from 1, whatever space is between them', () => {
    const query = 'a \t\n =\u00a01';
    expect(tokensOf(query)).toEqual([
      { kind: 'name', text: 'a', isQuoted: false, position: 1 },
      { kind: 'sign', text: '=', position: 6 },
      { kind: 'value', value: 1, position: 8 },
      { kind: 'end', position: 9 },
    ]);
  });

  it('are only the end where there is nothing but space', () => {
    expect(tokensOf('')).toEqual([{ kind: 'end', position: 1 }]);
    expect(tokensOf('  ')).toEqual([{ kind: 'end', position: 3 }]);
  });

  it.each(['~', ';', '!', '.', '-', 'é', '[', '😀'])('are refused at a character that starts none: %s', (character) => {
    expect(() => tokensOf(`a ${character}`)).toThrow(
      `character 3: "${character}" is not expected here; put texts in quotes, and names with such characters in backticks`,
    );
  });
});
