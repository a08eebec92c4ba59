import { expect, it } from 'vitest';
import { show } from '../../../../core/occurrences/show';

const circle: Record<string, unknown> = {};
circle.itself = circle;

it.each<[string, unknown, string]>([
  ['a text', 'noon', '"noon"'],
  ['an empty text', '', '""'],
  ['a text with quotes', 'say "noon"', '"say \\"noon\\""'],
  ['a number', 5, '5'],
  ['no number, as JSON has it', Number.NaN, 'null'],
  ['null', null, 'null'],
  ['nothing', undefined, 'undefined'],
  ['an object', { hour: 9 }, '{"hour":9}'],
  ['a list', [1, 'two'], '[1,"two"]'],
  ['a Date', new Date('2026-11-20T02:00:00Z'), '2026-11-20T02:00:00.000Z'],
  ['a Date without a time', new Date(Number.NaN), 'an invalid Date'],
  ['a function', () => 'noon', 'a function'],
  ['a symbol', Symbol('noon'), 'Symbol(noon)'],
  ['a number that JSON lacks', 10n, '10'],
  ['an object that contains itself', circle, '[object Object]'],
  ['an object that JSON omits', { toJSON: () => undefined }, '[object Object]'],
])('an error message shows %s', (_, value, shown) => {
  expect(show(value)).toBe(shown);
});

it('an error message shows 120 characters, and cuts what is longer', () => {
  const [fits, isLonger] = ['x'.repeat(118), 'x'.repeat(119)];
  expect(show(fits)).toBe(`"${fits}"`);
  expect(show(isLonger)).toBe(`"${isLonger}…`);
  expect(show('y'.repeat(1_000))).toBe(`"${'y'.repeat(119)}…`);
});
