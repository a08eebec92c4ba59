import { createHash } from 'node:crypto';
import { type Kysely, Kysely as KyselyInstance, PostgresDialect, type RawBuilder, sql } from 'kysely';
import { Pool, types } from 'pg';
import { DEFAULTS } from '../core/defaults';
import { PostgresUnreachableError } from '../core/errors';
import { arrayLiteral } from './array-literal';
import { LedgerDialect } from './dialect';
import { translatePostgresError } from './postgres-errors';
import type { Tables } from './tables';

const QUERY_TIMEOUT_MILLISECONDS = 15_000;
const CONNECT_TIMEOUT_MILLISECONDS = 5_000;
const INT8 = 20;

/** The part of a `pg.PoolClient` that Escapement uses. */
export interface PoolClientLike {
  /** Run one statement. */
  query(config: {
    text: string;
    values?: unknown[];
    name?: string;
  }): Promise<{ command: string; rowCount: number | null; rows: unknown[] }>;
  /** Give the connection back; with an error or `true` it is closed instead. */
  release(error?: Error | boolean): void;
  /** Hear of a connection that dies between two statements. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop hearing of it. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a `pg.Pool` that Escapement uses. */
export interface PoolLike {
  /** Take a connection. */
  connect(): Promise<PoolClientLike>;
  /** Hear of an idle connection that dies. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop hearing of it. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** How to reach Postgres: a pool of yours, which stays open, or a connection string. */
export interface PostgresOptions {
  /** A pool of `pg`, which stays open. @default one of our own, by `connectionString` */
  pool?: PoolLike | undefined;
  /** Used without `pool`, such as `postgres://user@host/database`. */
  connectionString?: string | undefined;
  /** @default 'escapement' */
  schema?: string | undefined;
  /** Connections at most, without `pool`. @default 5 */
  connectionsAtMost?: number;
  /** Longest wait for a statement, so that a connection that died unheard holds nothing up; 0 waits for ever. @default 15 seconds */
  queryTimeoutMilliseconds?: number;
  /**
   * Whether each connection plans a statement once and keeps it, by name. Not behind a pooler that lends connections by
   * the transaction. @default false
   */
  preparedStatements?: boolean;
}

/** Where the ledger lies: every function of this room takes one, a transaction's or the pool's. */
export interface Store {
  db: Kysely<Tables>;
  schema: string;
  /** A table with its schema, for SQL by hand. */
  table(name: keyof Tables): RawBuilder<unknown>;
  /** Set on the caller's transaction: nothing here may begin, commit or retry it. */
  joined?: {
    /** The pool's store, for what must not wait for the caller's commit. */
    outside: Store;
  };
}

/** A store that owns its connections. */
export interface OpenStore extends Store {
  /** Close the connections that were opened here; a pool that was handed in stays open. */
  close(): Promise<void>;
}

/**
 * Open the ledger. Connects at the first query.
 *
 * @param bounded whether its transactions have the bounds of `dialect.ts`
 * @throws {TypeError} without `pool` and `connectionString`, or with a schema name that needs quoting
 */
export function openStore(options: PostgresOptions, { bounded = true }: { bounded?: boolean } = {}): OpenStore {
  const schema = options.schema ?? DEFAULTS.schema;
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema)) {
    throw new TypeError(`schema '${schema}' is not a lower-case name of letters, digits and underscores`);
  }
  const own = options.pool ? undefined : openPool(options);
  const pool = options.pool ?? own!;
  pool.on?.('error', ignoreLostConnection);
  const timeout = options.queryTimeoutMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS;
  const nameOf = options.preparedStatements ? nameOfStatement : () => undefined;
  const config = {
    pool: { connect: () => connect(pool, schema, timeout, nameOf), end: async () => own?.end() } as never,
  };
  const dialect = bounded ? new LedgerDialect(config) : new PostgresDialect(config);
  const db = new KyselyInstance<Tables>({ dialect });
  return {
    ...storeOn(db, schema),
    close: async () => {
      await db.destroy();
      if (!own) pool.removeListener?.('error', ignoreLostConnection);
    },
  };
}

/** A store over one Kysely instance, such as a transaction's. */
export function storeOn(db: Kysely<Tables>, schema: string): Store {
  return { db: db.withSchema(schema), schema, table: (name) => sql.id(schema, name) };
}

function openPool(options: PostgresOptions): Pool {
  if (!options.connectionString)
    throw new TypeError('give a pool or a connectionString; the one given is empty (is DATABASE_URL set?)');
  return new Pool({
    connectionString: options.connectionString,
    max: options.connectionsAtMost ?? 5,
    application_name: 'escapement',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    keepAlive: true,
  });
}

/** Parsers of our own, since a program may have changed the global ones: Dates, and bigints as numbers. */
const ownTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8 ? Number : (defaultParsers.get(oid) ?? types.getTypeParser(oid, format as 'text'));
  },
};
/** The parsers as `pg` ships them, taken before a program can replace them: timestamptz, jsonb, bytea, bool, int4. */
const defaultParsers = new Map([1184, 3802, 17, 16, 23].map((oid) => [oid, types.getTypeParser(oid, 'text')]));

const statementNames = new Map<string, string>();

function nameOfStatement(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = `escapement_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    statementNames.set(text, name);
  }
  return name;
}

/** A connection that dies between two queries is a normal state: the next query says so. Unheard, it ends the process. */
function ignoreLostConnection(): void {}

async function connect(
  pool: PoolLike,
  schema: string,
  queryTimeoutMilliseconds: number,
  nameOf: (text: string) => string | undefined,
) {
  const client = await pool.connect().catch((error) => {
    throw translatePostgresError(error, schema);
  });
  // A connection that failed or timed out may still be busy: it must not go back among the idle ones.
  let broken = false;
  client.on?.('error', ignoreLostConnection);
  return {
    release: () => {
      client.removeListener?.('error', ignoreLostConnection);
      client.release(broken);
    },
    query: async (text: string, values: readonly unknown[]) => {
      try {
        const config = {
          text,
          values: values.map(arrayLiteral),
          types: ownTypes,
          query_timeout: queryTimeoutMilliseconds,
        };
        // What has no parameters may be several statements, which cannot be prepared.
        const name = values.length === 0 ? undefined : nameOf(text);
        return await client.query(name === undefined ? config : { ...config, name });
      } catch (error) {
        const translated = translatePostgresError(error, schema);
        broken ||= translated instanceof PostgresUnreachableError;
        throw translated;
      }
    },
  };
}
