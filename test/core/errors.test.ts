import { describe, expect, it } from 'vitest';
import {
  ImpossibleTransitionError,
  InvalidOptionError,
  InvalidScheduleError,
  MissingRightsError,
  PostgresUnreachableError,
  SchemaInUseError,
  SchemaNotMigratedError,
  SchemaTooNewError,
  StatementTimeoutError,
  TemporalUnreachableError,
  UnknownTimeZoneError,
} from '../../core/errors';

describe('an error', () => {
  // A log shows the name, and docs/errors.md explains the error by it.
  it.each([
    ['ImpossibleTransitionError', new ImpossibleTransitionError('text')],
    ['InvalidOptionError', new InvalidOptionError('path', 'text')],
    ['InvalidScheduleError', new InvalidScheduleError('path', 'text')],
    ['MissingRightsError', new MissingRightsError('role', [])],
    ['PostgresUnreachableError', new PostgresUnreachableError('text')],
    ['SchemaInUseError', new SchemaInUseError('text')],
    ['SchemaNotMigratedError', new SchemaNotMigratedError('text')],
    ['SchemaTooNewError', new SchemaTooNewError('text')],
    ['StatementTimeoutError', new StatementTimeoutError('text')],
    ['TemporalUnreachableError', new TemporalUnreachableError('text')],
  ])('is shown as a %s', (name, error) => {
    expect(error.name).toBe(name);
    expect(String(error)).toMatch(`${name}: `);
    expect(error).toBeInstanceOf(Error);
  });

  it('of an option names its path, and says what is wrong', () => {
    const error = new InvalidOptionError('limits.batchSize', 'is not a whole number from 1');
    expect(error).toMatchObject({ path: 'limits.batchSize', problem: 'is not a whole number from 1' });
    expect(error.message).toBe('limits.batchSize: is not a whole number from 1');
    expect(error).toBeInstanceOf(TypeError);
  });

  it('of an unknown time zone is caught as one of the schedule, and that as one of an option', () => {
    const error = new UnknownTimeZoneError('spec.timezone', '"Mars/Base" is not a time zone');
    expect(error).toBeInstanceOf(InvalidScheduleError);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ name: 'InvalidScheduleError', path: 'spec.timezone' });
  });

  it('keeps its cause', () => {
    const cause = new Error('ECONNREFUSED');
    expect(new PostgresUnreachableError('Postgres cannot be reached', { cause }).cause).toBe(cause);
    expect(new TemporalUnreachableError('Temporal cannot be reached', { cause }).cause).toBe(cause);
  });

  it('of missing rights gives the statements that mend it, to be copied as they are', () => {
    const missing = ['usage on schema escapement', 'select, insert on escapement.firings'];
    const error = new MissingRightsError('my role', missing);
    expect(error.message).toBe(
      'role "my role" lacks rights that a trigger needs; as the owner of the schema run: ' +
        'grant usage on schema escapement to "my role"; grant select, insert on escapement.firings to "my role";',
    );
    expect(error).toMatchObject({ role: 'my role', missing });
  });

  it('of one missing right gives one statement', () => {
    expect(new MissingRightsError('app', ['usage on schema escapement']).message).toMatch(
      /run: grant usage on schema escapement to "app";$/,
    );
  });
});
