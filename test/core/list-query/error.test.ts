import { expect, it } from 'vitest';
import { InvalidOptionError } from '../../../core/errors';
import { InvalidQueryError } from '../../../core/list-query/error';

it('a refused list filter tells its text, the place and the problem, as a refused option does', () => {
  const error = new InvalidQueryError('note = x', 8, 'a value is expected');
  expect(error).toBeInstanceOf(InvalidOptionError);
  expect(error).toMatchObject({ path: 'query', query: 'note = x', position: 8 });
  expect(String(error)).toBe('InvalidQueryError: query: character 8: a value is expected');
});
