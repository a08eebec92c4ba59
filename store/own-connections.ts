import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig, Pool } from 'pg';
import { PostgresUnreachableError } from '../core/errors';
import type { Password, PostgresAddress } from './postgres-address';

/** The longest wait for a connection to open; ten seconds longer with a password function. */
export const CONNECT_TIMEOUT_MILLISECONDS = 3_000;
/** This time must suffice for a password function that starts a program, or asks a service over the network. */
const PASSWORD_TIMEOUT_MILLISECONDS = 10_000;
/** Each new connection calls the password function again, so idle connections stay open for five minutes. */
const IDLE_WITH_PASSWORD_MILLISECONDS = 300_000;

export function ownPool({ connectionString, password }: PostgresAddress, connectionsAtMost: number): Pool {
  return new Pool({
    connectionString,
    max: connectionsAtMost,
    application_name: 'escapement',
    keepAlive: true,
    Client: clientOf(password),
    ...(typeof password === 'function' ? { idleTimeoutMillis: IDLE_WITH_PASSWORD_MILLISECONDS } : {}),
  });
}

export function ownClient({ connectionString, password }: PostgresAddress, config: ClientConfig): Client {
  return new (clientOf(password, config.connectionTimeoutMillis))({ ...config, connectionString });
}

function openingMilliseconds(password: Password | undefined, connect = CONNECT_TIMEOUT_MILLISECONDS): number {
  return connect + (typeof password === 'function' ? PASSWORD_TIMEOUT_MILLISECONDS : 0);
}

/**
 * A class of clients with their own time limit for opening, and with a password: given a connection string, `pg`
 * ignores a separate password.
 */
function clientOf(password: Password | undefined, connectMilliseconds?: number): typeof Client {
  const connectionTimeoutMillis = openingMilliseconds(password, connectMilliseconds);
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      super({
        ...(config as ClientConfig),
        connectionTimeoutMillis,
        ...(password && { stream: socketThatConnectsSoon }),
      });
      if (password === undefined) return;
      // Without a password the connection cannot continue. The pool does not close a connection that never opened, so
      // without this call the server would keep a place for it.
      const giveUp = () => (this as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
      (this as { password?: Password }).password =
        typeof password === 'function'
          ? () =>
              askedFor(password).catch((error) => {
                giveUp();
                throw error;
              })
          : password;
    }
  };
}

/**
 * Limits the time to connect the socket to 3 seconds, since the overall timeout also includes the time to get the
 * password.
 */
function socketThatConnectsSoon(): Socket {
  const socket = new Socket();
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error('no connection within 3 seconds'), { code: 'ETIMEDOUT' })),
    CONNECT_TIMEOUT_MILLISECONDS,
  );
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
  return socket;
}

/** @throws {PostgresUnreachableError} if there is no password; the next connection asks for it again */
async function askedFor(ask: () => string | Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not come within 10 seconds')), PASSWORD_TIMEOUT_MILLISECONDS);
  });
  try {
    const password = await Promise.race([ask(), tooLate]);
    if (typeof password !== 'string' || password === '') throw new Error('it is empty');
    return password;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PostgresUnreachableError(`there is no password for Postgres: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
