import { DEFAULTS } from '../core/defaults';
import { PostgresUnreachableError, SchemaNotMigratedError } from '../core/errors';
import { type TlsProblem, tlsProblemOf } from '../core/tls-problem';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EPIPE',
  'ENOENT',
]);
/**
 * Shutting down, starting up, a database that is dropped, a session or transaction that was idle for too long, too many
 * connections, and class 08: connection exceptions. Whatever it is, this connection is of no more use.
 */
const SERVER_AWAY = /^(57P0[1-5]|25P0[34]|53300|08...)$/;
/** A standby, or a primary that was replaced: waiting on this connection for it to change would be waiting for ever. */
const READ_ONLY = '25006';
/** What a session raises on a database that it does not expect. */
export const OTHER_DATABASE = 'ES003';
/** Refused credentials, unknown database: as good as away until somebody changes the configuration. */
const REFUSED = /^(28...|3D000)$/;
/** What Postgres says to who comes without TLS, or without a certificate, where it must not. */
const NEEDS_TLS = /no encryption|SSL off/;
const NEEDS_CERTIFICATE = /requires a valid client certificate/;
const UNDEFINED_SCHEMA_OR_TABLE = /^(3F000|42P01)$/;
/** What `pg` throws without a code when a connection ends or hangs. */
const CONNECTION_LOST =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/;

/** The typed error for what `pg` threw, where there is one; the error itself otherwise. */
export function translatePostgresError(error: unknown, schema: string): unknown {
  if (!(error instanceof Error) || error instanceof PostgresUnreachableError) return error;
  const tls = tlsProblemOf(`${String((error as { code?: unknown }).code)} ${error.message}`);
  if (tls) {
    return new PostgresUnreachableError(
      `Postgres cannot be reached with TLS (${error.message}); ${WHAT_TO_DO_ABOUT[tls]}`,
      { cause: error },
    );
  }
  const code = String((error as { code?: unknown }).code ?? '');
  if (NETWORK.has(code) || SERVER_AWAY.test(code) || CONNECTION_LOST.test(error.message)) {
    return new PostgresUnreachableError(
      `Postgres cannot be reached (${error.message || code}); check that it is running and that DATABASE_URL is right`,
      { cause: error },
    );
  }
  if (code === OTHER_DATABASE) {
    return new PostgresUnreachableError(
      `the database is another one than before (${error.message}): a failover? Nothing is written to it until that is noticed`,
      { cause: error },
    );
  }
  if (code === READ_ONLY) {
    return new PostgresUnreachableError(
      `Postgres takes no writes (${error.message}): a standby, or a primary that was replaced; check that DATABASE_URL leads to the primary`,
      { cause: error },
    );
  }
  if (REFUSED.test(code)) {
    return new PostgresUnreachableError(`Postgres refused the connection (${error.message}); ${whatToCheck(error)}`, {
      cause: error,
    });
  }
  if (UNDEFINED_SCHEMA_OR_TABLE.test(code)) {
    return new SchemaNotMigratedError(
      `the database has no Escapement schema '${schema}'; run '${migrateCommand(schema)}' first`,
      { cause: error },
    );
  }
  return error;
}

const WHAT_TO_DO_ABOUT: Record<TlsProblem, string> = {
  authority: 'give the certificate of the authority that signed it, as sslrootcert=FILE in DATABASE_URL',
  name: 'DATABASE_URL must name the host as the certificate does',
  expired: 'renew the certificate of the server',
  'client certificate': 'give a certificate that it knows, as sslcert=FILE and sslkey=FILE in DATABASE_URL',
  'no TLS there': 'take sslmode out of DATABASE_URL, or set TLS up on the server',
};

function whatToCheck({ message }: Error): string {
  if (NEEDS_TLS.test(message)) return 'it takes connections with TLS alone: add sslmode=verify-full to DATABASE_URL';
  if (NEEDS_CERTIFICATE.test(message)) return WHAT_TO_DO_ABOUT['client certificate'];
  return 'check DATABASE_URL, and the password';
}

/** What brings a schema to this program's version. */
export function migrateCommand(schema: string): string {
  return schema === DEFAULTS.schema ? 'escapement db migrate' : `escapement db migrate --schema ${schema}`;
}

/** Whether a transaction lost to another one and may simply be run again: deadlock, serialization, lock timeout, a new month. */
export function isTransient(error: unknown): boolean {
  return /^(40P01|40001|55P03)$/.test(String(codeOf(error))) || isMonthUnseen(error);
}

/**
 * Whether a row found no partition. A month that somebody has just made is there for queries a moment before other connections hear
 * that it takes rows: Postgres tells them after the commit.
 */
function isMonthUnseen(error: unknown): boolean {
  return codeOf(error) === '23514' && (error as { routine?: unknown }).routine === 'ExecFindPartition';
}

/** Whether a statement met another database than the one that is expected. */
export function isOtherDatabase(error: unknown): boolean {
  return error instanceof PostgresUnreachableError && codeOf(error.cause) === OTHER_DATABASE;
}

/**
 * Whether a kept plan was made for a table that had other columns, as before a migration. Postgres keeps it all the same.
 * https://github.com/postgres/postgres/blob/REL_17_STABLE/src/backend/utils/cache/plancache.c, RevalidateCachedQuery
 */
export function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && /cached plan/.test((error as Error).message);
}

/** The address leads to a ledger that is not the one this process works on. */
export class OtherInstallationError extends PostgresUnreachableError {
  constructor() {
    super(
      'Postgres has another ledger than before, of another installation; check that DATABASE_URL leads to the right one',
    );
  }
}

/**
 * Data that do not fit, a constraint, a right on one table, a trigger that raises, a page that is damaged, a lock that
 * somebody keeps.
 */
const OF_ROW = /^(22...|23...|42501|44000|54000|55P03|P0...|XX00[12])$/;
const NO_PARTITION = '23514';

/** Whether a statement failed for a reason that may be one row's own, so that it is worth writing the others without it. */
export function isOfRow(error: unknown): error is Error {
  const code = String(codeOf(error));
  // That a month is missing is no row's fault; a constraint would have a name.
  if (code === NO_PARTITION && !(error as { constraint?: unknown }).constraint) return false;
  return OF_ROW.test(code);
}

/** Whether a lock was held by another transaction for longer than one waits. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** The code that Postgres gave an error. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as { code?: unknown }).code : undefined;
}
