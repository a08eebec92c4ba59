import { type Kysely, Kysely as KyselyInstance, PostgresDialect, type RawBuilder, sql } from 'kysely';
import { DEFAULTS } from '../core/defaults';
import { InvalidOptionError } from '../core/errors';
import { ownPool } from './own-connections';
import { PlacedSessions, Places } from './places';
import type { PoolLike } from './pool';
import type { Password, PostgresAddress } from './postgres-address';
import { type Expected, ignoreLostConnection, Sessions } from './session';
import type { Tables } from './tables';
import { UnansweredStatements } from './unanswered-statements';

const QUERY_TIMEOUT_MILLISECONDS = 15_000;
const CONNECTIONS_AT_MOST = 5;

/** How to connect to Postgres: an existing pool, which stays open, or a connection string. */
export interface PostgresOptions {
  /** A pool of `pg`, which Escapement does not close. @default a pool that Escapement opens by `connectionString` */
  pool?: PoolLike | undefined;
  /** The connection string, used without `pool`, for example `postgres://user@host/database`. */
  connectionString?: string | undefined;
  /**
   * The password to use with `connectionString`, instead of the one in it: a string, or a function that is called for
   * each new connection. Use a function for short-lived passwords, such as those of IAM. The function may take up to
   * ten seconds.
   * @default the password in `connectionString`
   */
  password?: Password | undefined;
  /** @default 'escapement' */
  schema?: string | undefined;
  /**
   * The maximum number of connections, if no `pool` is given. A connection that asks Postgres about lost answers is not
   * counted. @default 5; 10 for a trigger, 8 for the HTTP API
   */
  connectionsAtMost?: number;
  /**
   * The longest wait for a statement, so that a dead connection does not block the program; 0 waits for ever. The wait
   * for a free connection of a given `pool` has this limit too, but at least 15 seconds. @default 15 seconds
   */
  queryTimeoutMilliseconds?: number;
  /**
   * Whether each connection prepares a statement once and keeps its plan under a name. Do not prepare statements behind
   * a pooler that assigns connections per transaction. @default false; for the HTTP API without a `pool`, true if a
   * connection stays with one server process
   */
  preparedStatements?: boolean;
}

/** Access to the ledger, over a pool or over a transaction. */
export interface Store {
  db: Kysely<Tables>;
  schema: string;
  /** A table with its schema, for hand-written SQL. */
  table(name: keyof Tables): RawBuilder<unknown>;
  /**
   * Set if the store uses the caller's transaction: functions of `store/` must not begin, commit or retry that
   * transaction.
   */
  joined?: {
    /** The store of the pool, for work that must not wait for the caller's commit. */
    outside: Store;
  };
  /**
   * Steps that `transact` takes after it has committed this transaction. Each step is repeated, each time in a
   * transaction of its own, until it returns false. After an error, the remaining steps are left out, so another pass
   * must do the same work. Undefined outside `transact`, and in a caller's transaction.
   */
  afterCommit?: ((next: Store) => Promise<boolean>)[];
}

export interface OpenStore extends Store {
  /** The same store without the check which database answers, so that a replaced database can be noticed. */
  unchecked: Store;
  /**
   * From now on, refuse connections to a database of another incarnation, and to a database that is read-only. A
   * statement on a refused connection fails with `PostgresUnreachableError`.
   */
  expect(incarnation: string): void;
  /** The incarnation that `expect` was told last; undefined if any database is accepted. */
  expected(): string | undefined;
  /** Call `listener` when a check finds another database than the expected one. */
  onOther(listener: () => void): void;
  /** The maximum number of connections of the pool; infinite if a given pool does not state it. */
  connectionsAtMost: number;
  /**
   * The same store for a part of its users: together they hold at most so many connections at once. A number below one
   * counts as one. Further users wait for their turn, at most for `queryTimeoutMilliseconds`.
   */
  share(connectionsAtMost: number): OpenStore;
  /** Close the connections that this store opened; a given pool stays open. */
  close(): Promise<void>;
}

const shared = new WeakMap<PoolLike, OpenStore>();

/**
 * Returns a pool object that represents an open store: a second store that is opened on this object shares the first
 * store's connections, and leaves them open.
 */
export function poolOf(store: OpenStore): PoolLike {
  const pool: PoolLike = {
    connect: () => Promise.reject(new TypeError('this pool only represents an open store')),
  };
  shared.set(pool, store);
  return pool;
}

interface StoreUse {
  /** Whether the Postgres server limits how long statements may take, as in `session.ts`. @default true */
  bounded?: boolean;
  /**
   * Whether prepared plans are kept by default if Escapement's own connection leads to one server process. @default
   * false
   */
  keepsPlans?: boolean;
}

/**
 * Open the ledger; the first query opens a connection.
 *
 * @throws {InvalidOptionError} without `pool` and `connectionString`, or with an invalid schema name, or with both
 * `pool` and `password`
 */
export function openStore(options: PostgresOptions, { bounded = true, keepsPlans = false }: StoreUse = {}): OpenStore {
  const open = options.pool && shared.get(options.pool);
  if (open) return { ...open, close: async () => undefined };
  refusePasswordOfPool(options);
  const schema = options.schema ?? DEFAULTS.schema;
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema)) {
    throw new InvalidOptionError(
      'schema',
      `'${schema}' is not a name of at most 41 lower-case letters, digits and underscores that begins with a letter or underscore`,
    );
  }
  const address = options.pool ? undefined : addressOf(options);
  const { connectionsAtMost = CONNECTIONS_AT_MOST, queryTimeoutMilliseconds = QUERY_TIMEOUT_MILLISECONDS } = options;
  const own = address && ownPool(address, connectionsAtMost);
  const pool = options.pool ?? own!;
  const endListening = listenOnce(pool);
  const expected: Expected = { incarnation: undefined, onOther: () => undefined };
  const sessions = new Sessions({
    pool,
    expected,
    isOwn: own !== undefined,
    unanswered: address && new UnansweredStatements(address),
    schema,
    queryTimeoutMilliseconds,
    preparedStatements: options.preparedStatements ?? (keepsPlans && own ? undefined : false),
    bounded,
  });
  const placed = new PlacedSessions(queryTimeoutMilliseconds, (isChecked) => sessions.open(isChecked));
  let ended: Promise<void> | undefined;
  const end = async () => {
    ended ??= own?.end();
    await ended;
  };
  const within = (places: readonly Places[]): OpenStore => {
    const opened = (isChecked: boolean) => {
      const connections = { connect: () => placed.openWithin(places, isChecked), end };
      return new KyselyInstance<Tables>({ dialect: new PostgresDialect({ pool: connections as never }) });
    };
    const db = opened(true);
    return {
      ...storeOn(db, schema),
      unchecked: storeOn(opened(false), schema),
      expect: (incarnation) => {
        expected.incarnation = incarnation;
      },
      expected: () => expected.incarnation,
      onOther: (listener) => {
        expected.onOther = listener;
      },
      connectionsAtMost: own ? connectionsAtMost : (pool.options?.max ?? Number.POSITIVE_INFINITY),
      share: (atMost) => within([new Places(Math.max(1, atMost)), ...places]),
      close: async () => {
        await db.destroy();
        await end();
        if (!own) endListening();
      },
    };
  };
  // These places admit no more sessions than Escapement's own pool has connections, so the pool itself never queues.
  // One time limit then applies to all waits of a session.
  return within(own ? [new Places(connectionsAtMost)] : []);
}

/** @throws {InvalidOptionError} with both `pool` and `password` */
export function refusePasswordOfPool({ pool, password }: PostgresOptions): void {
  if (pool && password !== undefined) {
    throw new InvalidOptionError('password', 'belongs to connectionString; give it to your pool');
  }
}

const stores = new WeakMap<PoolLike, number>();

/**
 * Listen for lost connections of a pool. All stores of a pool share one listener, since Node reports more than ten
 * listeners as a leak. The returned function ends the listening for this store.
 */
function listenOnce(pool: PoolLike): () => void {
  const count = stores.get(pool) ?? 0;
  if (count === 0) pool.on?.('error', ignoreLostConnection);
  stores.set(pool, count + 1);
  let isListening = true;
  return () => {
    if (!isListening) return;
    isListening = false;
    const left = stores.get(pool)! - 1;
    stores.set(pool, left);
    if (left === 0) pool.removeListener?.('error', ignoreLostConnection);
  };
}

export function storeOn(db: Kysely<Tables>, schema: string): Store {
  return { db: db.withSchema(schema), schema, table: (name) => sql.id(schema, name) };
}

function addressOf({ connectionString, password }: PostgresOptions): PostgresAddress {
  if (!connectionString)
    throw new InvalidOptionError('connectionString', 'is empty, and no pool is given (is DATABASE_URL set?)');
  return { connectionString, password };
}
