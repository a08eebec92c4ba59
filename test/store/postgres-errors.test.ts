import { expect, it } from 'vitest';
import { PostgresUnreachableError } from '../../core/errors';
import { translatePostgresError } from '../../store/postgres-errors';

const translated = (code: string | undefined, message: string) =>
  translatePostgresError(Object.assign(new Error(message), code === undefined ? {} : { code }), 'escapement');

it.each(['ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'])(
  'a connection that fails with %s makes Postgres unreachable',
  (code) => {
    const error = translated(code, `connect ${code} 10.0.0.1:5432`);
    expect(error).toBeInstanceOf(PostgresUnreachableError);
    expect((error as Error).message).toBe(
      `Postgres cannot be reached (connect ${code} 10.0.0.1:5432); check that it is running and that DATABASE_URL is right`,
    );
  },
);

it.each([
  ['53300', 'sorry, too many clients already', 'let programs open fewer, or raise max_connections'],
  ['25P03', 'terminating connection due to idle-in-transaction timeout', 'look for what makes Postgres or this'],
  ['25P04', 'terminating connection due to transaction timeout', 'look for what makes Postgres or this program slow'],
  [undefined, 'Query read timeout', 'look for what makes Postgres or this program slow'],
])('a person is advised by why a connection was lost: %s %s', (code, message, toDo) => {
  const error = translated(code, message);
  expect(error).toBeInstanceOf(PostgresUnreachableError);
  expect((error as Error).message).toContain(toDo);
});
