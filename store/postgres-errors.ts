import { DEFAULTS } from '../core/defaults';
import { PostgresUnreachableError, SchemaNotMigratedError, StatementTimeoutError } from '../core/errors';
import { type TlsProblem, tlsProblemOf } from '../core/tls-problem';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EPIPE',
  'ENOENT',
]);
/** Codes of a host name without an address. Docker answers `EAI_AGAIN` for a name that it does not know. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'EAI_AGAIN']);
/**
 * SQLSTATEs after which the connection cannot be used: server shutdown or start, a dropped database, a session or a
 * transaction past its time limit, too many connections, and class 08 (connection exceptions).
 */
const SERVER_AWAY = /^(57P0[1-5]|25P0[34]|53300|08...)$/;
const TOO_MANY = '53300';
/** A transaction past its time limit, or an answer that did not come in time. */
const TOO_SLOW = /^25P0[34]|Query read timeout/;
const READ_ONLY = '25006';
export const OTHER_DATABASE = 'ES003';
/** SQLSTATEs of refused logins and of an unknown database. */
const REFUSED = /^(28...|3D000)$/;
const NEEDS_TLS = /no encryption|SSL off/;
const NEEDS_CERTIFICATE = /requires a valid client certificate/;
const UNDEFINED_SCHEMA_OR_TABLE = /^(3F000|42P01)$/;
/** Error messages of `pg` that have no code, for a connection that ended or hangs. */
const CONNECTION_LOST =
  /Connection terminated|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed/;
/** The message of a pool whose connections are all held by others. */
const NONE_FREE = /timeout exceeded when trying to connect/;
/** The SQLSTATE of a statement that Postgres has cancelled, mostly because of `statement_timeout`. */
const CANCELLED = '57014';

/** Translate an error of `pg` into a typed error; an error without a typed one is returned as it is. */
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
      `Postgres cannot be reached (${error.message || code}); ${whatToDoAbout(code, error)}`,
      { cause: error },
    );
  }
  if (NONE_FREE.test(error.message)) return noConnectionFree(error);
  if (code === CANCELLED) {
    return new StatementTimeoutError(
      `Postgres cancelled a statement (${error.message}): ask for less, or look for what makes Postgres slow`,
      { cause: error },
    );
  }
  if (isLockTimeout(error)) {
    const locked = new StatementTimeoutError(
      `Postgres cancelled a statement (${error.message}): another transaction holds a lock that it needs; try again`,
      { cause: error },
    );
    // Those who know what is locked tell this error from other ones by its code.
    return Object.assign(locked, { code });
  }
  if (code === OTHER_DATABASE) return otherDatabase(error);
  if (code === READ_ONLY) {
    return new PostgresUnreachableError(
      `Postgres takes no writes (${error.message}): a standby, or a primary that was replaced; check that DATABASE_URL points to the primary`,
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

export function noConnectionFree(cause?: unknown): PostgresUnreachableError {
  return new PostgresUnreachableError(
    'no connection to Postgres became free in time: its answers are slow, or this program needs more connections',
    { cause },
  );
}

const WHAT_TO_DO_ABOUT: Record<TlsProblem, string> = {
  authority: 'give the certificate of the authority that signed it, as sslrootcert=FILE in DATABASE_URL',
  name: 'DATABASE_URL must name the host as the certificate does',
  expired: 'renew the certificate of the server',
  'client certificate': 'give a certificate that it knows, as sslcert=FILE and sslkey=FILE in DATABASE_URL',
  'no TLS there': 'take sslmode out of DATABASE_URL, or set TLS up on the server',
};

function whatToDoAbout(code: string, { message }: Error): string {
  if (NO_ADDRESS.has(code)) {
    return 'DNS gives no address for it: check the host name in DATABASE_URL, and the DNS of this machine';
  }
  if (code === TOO_MANY) return 'all of its connections are taken: let programs open fewer, or raise max_connections';
  if (TOO_SLOW.test(`${code} ${message}`)) return 'look for what makes Postgres or this program slow';
  return 'check that it is running and that DATABASE_URL is right';
}

function whatToCheck({ message }: Error): string {
  if (NEEDS_TLS.test(message)) return 'it accepts only TLS connections: add sslmode=verify-full to DATABASE_URL';
  if (NEEDS_CERTIFICATE.test(message)) return WHAT_TO_DO_ABOUT['client certificate'];
  return 'check DATABASE_URL, and the password';
}

export function migrateCommand(schema: string): string {
  return schema === DEFAULTS.schema ? 'escapement db migrate' : `escapement db migrate --schema ${schema}`;
}

/**
 * Whether a transaction may be run again: the error came from another transaction (deadlock, serialization failure,
 * lock timeout), or from a month that was just created.
 */
export function isTransient(error: unknown): boolean {
  return /^(40P01|40001|55P03)$/.test(String(codeOf(error))) || isMonthUnseen(error);
}

/**
 * Whether Postgres found no partition for a row. A newly created month is visible to queries a moment before other
 * connections can insert into it, since Postgres notifies them only after the commit.
 */
function isMonthUnseen(error: unknown): boolean {
  return codeOf(error) === '23514' && (error as { routine?: unknown }).routine === 'ExecFindPartition';
}

export function otherDatabase(error: Error = Object.assign(new Error('it is another one'), { code: OTHER_DATABASE })) {
  return new PostgresUnreachableError(
    `the database was replaced (${error.message}): a failover? Nothing is written to it until the trigger has noticed that`,
    { cause: error },
  );
}

export function isOtherDatabase(error: unknown): boolean {
  return error instanceof PostgresUnreachableError && codeOf(error.cause) === OTHER_DATABASE;
}

/**
 * Whether the connection has no usable plan for a prepared statement. Postgres reports a lost plan before it executes
 * the statement.
 */
export function isPlanLost(error: unknown): boolean {
  // SQLSTATE 26000 follows DISCARD ALL or DEALLOCATE on the connection.
  return codeOf(error) === '26000' || isPlanStale(error);
}

/**
 * Whether a prepared plan was made when the table had other columns, as before a migration. Postgres keeps such a plan,
 * so the statement fails each time.
 * https://github.com/postgres/postgres/blob/REL_17_STABLE/src/backend/utils/cache/plancache.c, RevalidateCachedQuery
 */
export function isPlanStale(error: unknown): boolean {
  return codeOf(error) === '0A000' && /cached plan/.test((error as Error).message);
}

/** The address leads to another ledger than the one that this process uses. */
export class OtherInstallationError extends PostgresUnreachableError {
  constructor() {
    super(
      'Postgres has another ledger than before, of another installation; check that DATABASE_URL points to the right one',
    );
  }
}

/**
 * SQLSTATEs that one row may cause: invalid data, a violated constraint, a missing right on one table, an error raised
 * by a database trigger, a damaged page, or a lock that another transaction keeps.
 */
const OF_ROW = /^(22...|23...|42501|44000|54000|55P03|P0...|XX00[12])$/;
const NO_PARTITION = '23514';

/** Whether a single row may have made the statement fail, so that the other rows should be written without that row. */
export function isOfRow(error: unknown): error is Error {
  const code = String(codeOf(error));
  // The error of a missing month has the same code as a violated constraint, but names no constraint.
  if (code === NO_PARTITION && !(error as { constraint?: unknown }).constraint) return false;
  return OF_ROW.test(code);
}

/**
 * Like {@link isOfRow}, without errors that other rows would cause too: a missing right, and a lock that another
 * transaction keeps.
 */
export function isOfRowAlone(error: unknown): error is Error {
  return isOfRow(error) && !/^(42501|55P03)$/.test(String(codeOf(error)));
}

export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

export function isRightMissing(error: unknown): boolean {
  return codeOf(error) === '42501';
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as { code?: unknown }).code : undefined;
}
