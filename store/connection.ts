import { type Kysely, Kysely as KyselyInstance, PostgresDialect, type RawBuilder, sql } from 'kysely';
import { DEFAULTS } from '../core/defaults';
import { InvalidOptionError } from '../core/errors';
import { LostAnswers } from './lost-answers';
import { ownPool } from './own-connections';
import type { PoolLike } from './pool';
import type { Password, PostgresAddress } from './postgres-address';
import { type Expected, ignoreLostConnection, Sessions } from './session';
import type { Tables } from './tables';

const QUERY_TIMEOUT_MILLISECONDS = 15_000;
const CONNECTIONS_AT_MOST = 5;

/** How to reach Postgres: a pool of yours, which stays open, or a connection string. */
export interface PostgresOptions {
  /** A pool of `pg`, which stays open. @default one of our own, by `connectionString` */
  pool?: PoolLike | undefined;
  /** Used without `pool`, such as `postgres://user@host/database`. */
  connectionString?: string | undefined;
  /**
   * With `connectionString`, before a password that it has: a text, or a function that each new connection asks, for passwords that
   * live for minutes, as those of IAM do. It is given ten seconds. @default what `connectionString` has
   */
  password?: Password | undefined;
  /** @default 'escapement' */
  schema?: string | undefined;
  /** Connections at most, without `pool`. @default 5 */
  connectionsAtMost?: number;
  /** Longest wait for a statement, so that a connection that died unheard holds nothing up; 0 waits for ever. @default 15 seconds */
  queryTimeoutMilliseconds?: number;
  /**
   * Whether each connection plans a statement once and keeps it, by name. Not behind a pooler that lends connections by
   * the transaction. @default false; of the HTTP API where a connection leads to one server process
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
  /** The same on whatever database answers: to take notice of it. */
  unchecked: Store;
  /**
   * From now on refuse to work on a database that is another one than this, by its incarnation, or that takes no writes.
   *
   * @throws {PostgresUnreachableError} at each statement there
   */
  expect(incarnation: string): void;
  /** Be told when another one answers. */
  onOther(listener: () => void): void;
  /** Close the connections that were opened here; a pool that was handed in stays open. */
  close(): Promise<void>;
}

/** Stores that are open, by what stands for them as a pool. */
const shared = new WeakMap<PoolLike, OpenStore>();

/** Stands for an open store: what is opened on this pool works on the store's connections, and leaves them open. */
export function poolOf(store: OpenStore): PoolLike {
  const pool: PoolLike = {
    connect: () => Promise.reject(new TypeError('this pool stands for an open store alone')),
  };
  shared.set(pool, store);
  return pool;
}

/** How a store of this program works, which is no choice of who uses it. */
interface StoreUse {
  /** Whether the server bounds its statements, as `session.ts` says. @default true */
  bounded?: boolean;
  /** Whether plans are kept where a connection leads to one server process, unless the options say. @default false */
  keepsPlans?: boolean;
}

/**
 * Open the ledger. Connects at the first query.
 *
 * @throws {InvalidOptionError} without `pool` and `connectionString`, or with a schema name that needs quoting,
 * or with both `pool` and `password`
 */
export function openStore(options: PostgresOptions, { bounded = true, keepsPlans = false }: StoreUse = {}): OpenStore {
  const open = options.pool && shared.get(options.pool);
  if (open) return { ...open, close: async () => undefined };
  if (options.pool && options.password !== undefined) {
    throw new InvalidOptionError('password', 'belongs to connectionString; give it to your pool');
  }
  const schema = options.schema ?? DEFAULTS.schema;
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema)) {
    throw new InvalidOptionError('schema', `'${schema}' is not a lower-case name of letters, digits and underscores`);
  }
  const address = options.pool ? undefined : addressOf(options);
  const own = address && ownPool(address, options.connectionsAtMost ?? CONNECTIONS_AT_MOST);
  const pool = options.pool ?? own!;
  pool.on?.('error', ignoreLostConnection);
  const expected: Expected = { incarnation: undefined, onOther: () => undefined };
  const sessions = new Sessions({
    pool,
    expected,
    isOwn: own !== undefined,
    lostAnswers: address && new LostAnswers(address),
    schema,
    queryTimeoutMilliseconds: options.queryTimeoutMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS,
    preparedStatements: options.preparedStatements ?? (keepsPlans ? undefined : false),
    bounded,
  });
  const opened = (isChecked: boolean) => {
    const connections = { connect: () => sessions.open(isChecked), end: async () => own?.end() };
    return new KyselyInstance<Tables>({ dialect: new PostgresDialect({ pool: connections as never }) });
  };
  const db = opened(true);
  return {
    ...storeOn(db, schema),
    unchecked: storeOn(opened(false), schema),
    expect: (incarnation) => {
      expected.incarnation = incarnation;
    },
    onOther: (listener) => {
      expected.onOther = listener;
    },
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

function addressOf({ connectionString, password }: PostgresOptions): PostgresAddress {
  if (!connectionString)
    throw new InvalidOptionError('connectionString', 'is empty, and no pool is given (is DATABASE_URL set?)');
  return { connectionString, password };
}
