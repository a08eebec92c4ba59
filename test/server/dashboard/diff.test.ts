import { expect, it } from 'vitest';
import { linesOf } from '../../../server/dashboard/views/schedule/diff';

/** The lines of both sides, with `-` or `+` before a line without a counterpart. */
const diff = (one: string[], other: string[]) => {
  const { left, right } = linesOf(one.join('\n'), other.join('\n'));
  const marked = (own: string) => (line: (typeof left)[number]) => `${line.isOwn ? own : ' '}${line.text}`;
  return [left.map(marked('-')), right.map(marked('+'))];
};

it.each([
  [
    ['a', 'b', 'c'],
    ['a', 'c'],
    [' a', '-b', ' c'],
    [' a', ' c'],
  ],
  [
    ['a', 'a'],
    ['a', 'a', 'a'],
    [' a', ' a'],
    [' a', ' a', '+a'],
  ],
  [
    ['a', 'x', 'b', 'y', 'c'],
    ['a', 'b', 'z', 'c'],
    [' a', '-x', ' b', '-y', ' c'],
    [' a', ' b', '+z', ' c'],
  ],
  [['a'], ['b'], ['-a'], ['+b']],
  [
    ['a', 'b'],
    ['a', 'b'],
    [' a', ' b'],
    [' a', ' b'],
  ],
])('marks the lines of %j and %j that have no counterpart', (one, other, left, right) => {
  expect(diff(one, other)).toEqual([left, right]);
});

it('compares two versions of many lines that differ in few', () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at}`);
  const [left, right] = diff(lines, [...lines.slice(0, 50_000), 'new', ...lines.slice(50_001)]);
  expect(left!.filter((line) => line.startsWith('-'))).toEqual(['-line 50000']);
  expect(right!.filter((line) => line.startsWith('+'))).toEqual(['+new']);
});

it('marks all lines of a block that is too long to compare', () => {
  const block = (name: string) => ['first', ...Array.from({ length: 50_000 }, (_, at) => `${name} ${at}`), 'last'];
  const [left, right] = diff(block('old'), block('new'));
  for (const side of [left!, right!]) expect(side.filter((line) => line.startsWith(' '))).toEqual([' first', ' last']);
  expect([left!.length, right!.length]).toEqual([50_002, 50_002]);
});
