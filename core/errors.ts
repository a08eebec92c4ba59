/** An option of a call was refused; the message says why. Nothing was written. */
export class InvalidOptionError extends TypeError {
  override readonly name: string = 'InvalidOptionError';
  constructor(
    /** Path of the bad field in the options, such as `dryRun` or `limits.batchSize`. */
    readonly path: string,
    /** What is wrong with the field. */
    readonly problem: string,
  ) {
    super(`${path}: ${problem}`);
  }
}

/**
 * A schedule's definition, a time or a range was refused. The error's `path` names the part, such as `spec.cron` or
 * `backfill.start`.
 *
 * @see https://docs.temporal.io/develop/typescript/schedules
 */
export class InvalidScheduleError extends InvalidOptionError {
  override readonly name = 'InvalidScheduleError';
}

/**
 * The time zone data of this process does not contain the time zone. Another process may have newer data, with this
 * time zone.
 */
export class UnknownTimeZoneError extends InvalidScheduleError {}

/**
 * Postgres cannot be reached, refuses or loses the connection, takes no writes, or is no longer the same database, or
 * no connection became free in time. Work that was in progress at that moment may have been written, so read the
 * current state before you repeat the work.
 */
export class PostgresUnreachableError extends Error {
  override readonly name = 'PostgresUnreachableError';
}

/**
 * Postgres has cancelled a statement, mostly because it ran, or waited for a lock, too long. That statement wrote
 * nothing.
 */
export class StatementTimeoutError extends Error {
  override readonly name = 'StatementTimeoutError';
}

/** The Postgres role of the trigger lacks rights that every trigger needs. */
export class MissingRightsError extends Error {
  override readonly name = 'MissingRightsError';
  constructor(
    /** The name of the role. */
    readonly role: string,
    /** The missing rights, in the form that follows `grant`, such as `insert on escapement.dead_letters`. */
    readonly missing: string[],
  ) {
    const grants = missing.map((one) => `grant ${one} to "${role}";`).join(' ');
    super(`role "${role}" lacks rights that a trigger needs; as the owner of the schema run: ${grants}`);
  }
}

/** Temporal cannot be reached, or refuses the call. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
}

/** The database has no Escapement schema, or one that is too old for this program. */
export class SchemaNotMigratedError extends Error {
  override readonly name = 'SchemaNotMigratedError';
}

/**
 * A migration would remove something that live triggers still use. That migration changed nothing; the migrations
 * before it were applied.
 */
export class SchemaInUseError extends Error {
  override readonly name = 'SchemaInUseError';
}

/** A newer program has migrated the database, and this program is too old for the new schema. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
}

/**
 * A firing would change its state in a way that is not allowed. The cause is a bug, or a person has edited the row. A
 * lost race does not cause this error.
 */
export class ImpossibleTransitionError extends Error {
  override readonly name = 'ImpossibleTransitionError';
}
