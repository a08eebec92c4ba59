/** An option of a call that was refused, and why: misspelt, of the wrong type, or out of bounds. Nothing was written. */
export class InvalidOptionError extends TypeError {
  override readonly name: string = 'InvalidOptionError';
  constructor(
    /** Path of the bad field in what was given, such as `dryRun` or `limits.batchSize`. */
    readonly path: string,
    /** What is wrong with it and what is allowed. */
    readonly problem: string,
  ) {
    super(`${path}: ${problem}`);
  }
}

/**
 * The part of a definition that was refused, and why. Its path is such as `spec.cron` or `policies.overlap`.
 *
 * @see https://docs.temporal.io/develop/typescript/schedules
 */
export class InvalidScheduleError extends InvalidOptionError {
  override readonly name = 'InvalidScheduleError';
}

/** A time zone that the data of this process does not have: another process may. */
export class UnknownTimeZoneError extends InvalidScheduleError {}

/** A legal definition that this version cannot honour yet; refused so that it is never silently ignored. */
export class NotSupportedError extends InvalidScheduleError {
  constructor(path: string, hint = 'remove it') {
    super(path, `is not supported by this version of Escapement; ${hint}`);
  }
}

/**
 * Postgres cannot be reached, or the connection to it was lost. What was under way at that moment may have been written:
 * read what is there before doing it again.
 */
export class PostgresUnreachableError extends Error {
  override readonly name = 'PostgresUnreachableError';
}

/** The role that a trigger connects to Postgres as may not do all that a trigger does. */
export class MissingRightsError extends Error {
  override readonly name = 'MissingRightsError';
  constructor(
    /** The role. */
    readonly role: string,
    /** What follows `grant` in each statement that is missing, such as `insert on escapement.dead_letters`. */
    readonly missing: string[],
  ) {
    const grants = missing.map((one) => `grant ${one} to "${role}";`).join(' ');
    super(`role "${role}" lacks rights that a trigger needs; as the owner of the schema run: ${grants}`);
  }
}

/** Temporal cannot be reached. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
}

/** The database has no Escapement schema, or an older one than this program needs. */
export class SchemaNotMigratedError extends Error {
  override readonly name = 'SchemaNotMigratedError';
}

/** A migration would take from triggers that are alive what they still use. Nothing was changed by it. */
export class SchemaInUseError extends Error {
  override readonly name = 'SchemaInUseError';
}

/** The database was migrated by a newer program, which says that this one is too old for it. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
}

/** A state changed in a way that no legal transition explains: a bug or a hand-edited row, never a lost race. */
export class ImpossibleTransitionError extends Error {
  override readonly name = 'ImpossibleTransitionError';
}
