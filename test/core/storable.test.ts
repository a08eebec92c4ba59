import { describe, expect, it } from 'vitest';
import { checkStorable, isStorable, storableJson, storableText } from '../../core/storable';

const REPLACED = '\uFFFD';
/** The two halves of a surrogate pair, which is one character. */
const FIRST = '\uD83D';
const SECOND = '\uDD70';

describe('a text', () => {
  it.each([
    ['an empty one', ''],
    ['letters', 'Überweisung'],
    ['a character of two halves', `a${FIRST}${SECOND}z`],
    ['other control characters', '\u0001\t\n\u007f'],
    ['the replacement character itself', REPLACED],
  ])('can be stored as it is: %s', (_, text) => {
    expect(isStorable(text)).toBe(true);
    expect(storableText(text)).toBe(text);
  });

  it.each([
    ['NUL', 'a\0z', `a${REPLACED}z`],
    ['each NUL', '\0a\0\0', `${REPLACED}a${REPLACED}${REPLACED}`],
    ['a first half alone', `a${FIRST}z`, `a${REPLACED}z`],
    ['a second half alone', `a${SECOND}`, `a${REPLACED}`],
    ['both halves in the wrong order', `${SECOND}${FIRST}`, `${REPLACED}${REPLACED}`],
    ['NUL between two halves', `${FIRST}\0${SECOND}`, `${REPLACED}${REPLACED}${REPLACED}`],
  ])('cannot be stored with %s, which is replaced by U+FFFD', (_, text, replaced) => {
    expect(isStorable(text)).toBe(false);
    expect(storableText(text)).toBe(replaced);
    expect(isStorable(replaced)).toBe(true);
  });
});

describe('the JSON of a value from another program', () => {
  it('has each text as it can be stored, at any depth', () => {
    const value = { message: 'a\0', stack: [`b${FIRST}`, { cause: '\0' }], name: 'fine' };
    expect(JSON.parse(storableJson(value))).toEqual({
      message: `a${REPLACED}`,
      stack: [`b${REPLACED}`, { cause: REPLACED }],
      name: 'fine',
    });
    expect(storableJson('a\0')).toBe(JSON.stringify(`a${REPLACED}`));
  });

  it('leaves everything else as it is', () => {
    const value = { number: 1.5, none: null, yes: true, no: false, list: [0, []], nested: {} };
    expect(storableJson(value)).toBe(JSON.stringify(value));
  });
});

describe('plain JSON', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 1],
    ['a text', 'fine'],
    ['an object with null in it', { comment: null }],
    ['lists and objects', { calendars: [{ comment: 'fine' }, 'fine', 2] }],
  ])('can be stored: %s', (_, value) => {
    expect(() => checkStorable(value, 'spec')).not.toThrow();
  });

  it.each([
    ['spec', 'a\0'],
    ['spec.comment', { comment: 'a\0' }],
    ['spec.calendars[1].comment', { calendars: [{ comment: 'fine' }, { comment: `a${FIRST}` }] }],
    ['spec[0][1]', [['fine', '\0']]],
    ['spec.second', { first: null, second: '\0', third: '\0' }],
  ])('is refused with the path of its first bad text: %s', (path, value) => {
    expect(() => checkStorable(value, 'spec')).toThrow(
      expect.objectContaining({
        name: 'InvalidScheduleError',
        path,
        message: `${path}: has characters that cannot be stored`,
      }),
    );
  });
});
