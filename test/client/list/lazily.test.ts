import { expect, it } from 'vitest';
import { withLazy } from '../../../client/list/lazily';

it('a field that is computed at the first read is read as any other, also from a frozen object', () => {
  let computed = 0;
  const lazy = () =>
    withLazy({ a: 1 }, 'b', () => {
      computed += 1;
      return computed;
    });
  const object = lazy();
  expect(JSON.stringify(object)).toBe('{"a":1,"b":1}');
  expect({ ...object }).toEqual({ a: 1, b: 1 });
  expect(JSON.stringify(Object.freeze(lazy()))).toBe('{"a":1,"b":2}');
});
