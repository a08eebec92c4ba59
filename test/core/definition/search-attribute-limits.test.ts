import { describe, expect, it } from 'vitest';
import { checkLimits, parseSearchAttributes } from '../../../core/definition/search-attributes';
import { refusalBy } from '../../support/refusal';

const NUL = 'a\u0000b';
const HALF = 'a\ud800';
const WITH_OURS = 'with the 2 that Escapement adds';

const untyped = (searchAttributes: unknown) => parseSearchAttributes('', { searchAttributes });
const typed = (type: string, value: unknown) =>
  parseSearchAttributes('', { typedSearchAttributes: [{ key: { name: 'Any', type }, value }] });

/** The message of the refusal, which starts with the path. */
const refusal = (parse: () => unknown) => refusalBy(parse).message;

describe('what Postgres and Temporal do not take', () => {
  it.each([NUL, HALF])('is a text with a character that cannot be stored, such as %j', (text) => {
    const problem = 'Any: has characters that cannot be stored';
    expect(refusal(() => untyped({ Any: ['x', text] }))).toBe(`searchAttributes.${problem}`);
    for (const [type, value] of [
      ['TEXT', text],
      ['KEYWORD', text],
      ['KEYWORD_LIST', ['x', text]],
    ] as const) {
      expect(refusal(() => typed(type, value))).toBe(`typedSearchAttributes.${problem}`);
    }
  });

  it('is a half of a surrogate pair, even if the next text begins with the other half', () => {
    const halves = ['a\ud83d', '\ude00b'];
    const problem = 'Any: has characters that cannot be stored';
    expect(refusal(() => untyped({ Any: halves }))).toBe(`searchAttributes.${problem}`);
    expect(refusal(() => typed('KEYWORD_LIST', halves))).toBe(`typedSearchAttributes.${problem}`);
    expect(untyped({ Any: [halves.join('')] })).toEqual({ Any: { value: ['a\u{1f600}b'] } });
  });

  // The JSON of a text has two quotes, and that of a list with one text also two brackets.
  it.each([
    ['KEYWORD', 'x'.repeat(2_046), 'x'.repeat(2_047), 2_049],
    ['KEYWORD', '€'.repeat(682), '€'.repeat(683), 2_051],
    ['KEYWORD_LIST', ['x'.repeat(2_044)], ['x'.repeat(2_045)], 2_049],
  ])('is a %s of more than 2 KB in JSON', (type, most, more, bytes) => {
    expect(typed(type, most)).toMatchObject({ Any: { value: most } });
    expect(refusal(() => typed(type, more))).toBe(
      `typedSearchAttributes.Any: has ${bytes} bytes; Temporal takes at most 2048`,
    );
  });

  it.each([
    ['', 100, 'searchAttributes: has 101 attributes; at most 100: Temporal takes 100'],
    ['action', 98, `action.searchAttributes: has 99 attributes; at most 98: Temporal takes 100, ${WITH_OURS}`],
  ])('is, of the parent "%s", more than %i attributes', (parent, most, problem) => {
    const parse = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `Attribute${index}`);
      return parseSearchAttributes(parent, {
        searchAttributes: Object.fromEntries(names.map((name) => [name, ['x']])),
      });
    };
    expect(Object.keys(parse(most)!)).toHaveLength(most);
    expect(refusal(() => parse(most + 1))).toBe(problem);
  });

  describe('is more than 40 KB of names and values together', () => {
    /** Nineteen attributes, each with a name of 3 bytes and a list of 2,045 bytes in JSON. */
    const nineteen = Object.fromEntries(Array.from({ length: 19 }, (_, n) => [`A${10 + n}`, ['x'.repeat(2_041)]]));
    /** With these, the name `€` has three bytes too, and the text as many as there are left. */
    const LEFT = 2_041;
    const problem = 'has 40961 bytes; Temporal takes at most 40960';

    it('in the untyped form', () => {
      expect(() => untyped({ ...nineteen, '€': ['x'.repeat(LEFT)] })).not.toThrow();
      expect(refusal(() => untyped({ ...nineteen, '€': ['x'.repeat(LEFT + 1)] }))).toBe(`searchAttributes: ${problem}`);
    });

    it('in both forms together', () => {
      const withTyped = (count: number) =>
        parseSearchAttributes('', {
          searchAttributes: nineteen,
          typedSearchAttributes: [{ key: { name: '€', type: 'KEYWORD_LIST' }, value: ['x'.repeat(count)] }],
        });
      expect(() => withTyped(LEFT)).not.toThrow();
      expect(refusal(() => withTyped(LEFT + 1))).toBe(`typedSearchAttributes: ${problem}`);
    });
  });
});

it('what a bulk operation would leave a schedule with is refused at the field that sets it', () => {
  const attributes = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`A${index}`, { value: index }]));
  expect(() => checkLimits('', 'searchAttributes', attributes)).toThrow('searchAttributes: has 101 attributes');
});
