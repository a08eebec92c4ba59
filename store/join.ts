import { AsyncLocalStorage } from 'node:async_hooks';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { InvalidOptionError } from '../core/errors';
import { type Store, storeOn } from './connection';
import { codeOf, translatePostgresError } from './postgres-errors';
import type { Tables } from './tables';

/** A connection with an open transaction, such as a `Client` or `PoolClient` of `pg` after `BEGIN`. */
export interface QueryTransaction {
  /** Run one statement. The returned promise resolves to the rows, or to an object with `rows`. */
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** A `Transaction` of Kysely. */
export interface KyselyTransaction {
  readonly isTransaction: true;
  /** The same transaction without plugins that rewrite queries and rows. */
  withoutPlugins(): { executeQuery(query: never): Promise<{ rows: unknown[] }> };
}

/** An open transaction of the caller: of `pg`, of Kysely, or any object with `query(text, values)`. */
export type TransactionLike = QueryTransaction | KyselyTransaction;

type Query = (text: string, values?: readonly unknown[]) => Promise<unknown[]>;

const SAVEPOINT = 'escapement';
const NO_TRANSACTION = '25P01';

/**
 * Run work in the caller's transaction, after a savepoint. If the work throws, all its changes in the transaction are
 * undone and its locks are released, and the caller can continue to use the transaction.
 *
 * @throws {InvalidOptionError} if no transaction is open on the given object, or if it is no object that can run queries
 */
export async function joinTransaction<Result>(
  outside: Store,
  given: TransactionLike,
  work: (joined: Store) => Promise<Result>,
): Promise<Result> {
  const query = queryOf(given, outside.schema);
  return inTurn(given, async () => {
    await query(`savepoint ${SAVEPOINT}`).catch((error) => {
      throw codeOf(error) === NO_TRANSACTION ? new InvalidOptionError('transaction', NOT_OPEN) : error;
    });
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolOf(query) as never }) });
    try {
      const result = await work({ ...storeOn(db, outside.schema), joined: { outside } });
      await query(`release savepoint ${SAVEPOINT}`);
      return result;
    } catch (error) {
      await query(`rollback to savepoint ${SAVEPOINT}`)
        .then(() => query(`release savepoint ${SAVEPOINT}`))
        .catch(() => undefined);
      throw error;
    }
  });
}

/**
 * While `work` runs in a transaction, wait for each lock as long as `limit` says, such as `2s`; `0` waits for ever. The
 * former limit is restored afterwards. If the work throws, the rollback restores it.
 */
export async function withLockTimeout<Result>(
  transaction: Store,
  limit: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await sql<{ former: string; own: string }>`select current_setting('lock_timeout') as former,
    set_config('lock_timeout', ${limit}, true) as own`.execute(transaction.db);
  const result = await work();
  await sql`select set_config('lock_timeout', ${rows[0]!.former}, true)`.execute(transaction.db);
  return result;
}

const NOT_OPEN = 'no transaction is open on the connection given; BEGIN first, and give the connection, not its pool';

function queryOf(given: TransactionLike, schema: string): Query {
  const translated = (error: unknown) => {
    throw translatePostgresError(error, schema);
  };
  if (isKysely(given)) {
    if (!given.isTransaction) throw new InvalidOptionError('transaction', NOT_OPEN);
    // Plugins, such as `CamelCasePlugin`, would rename columns and keys of stored JSON.
    const plain = given.withoutPlugins();
    return async (text, values = []) => {
      const query = CompiledQuery.raw(withTextForJson(text), [...values]);
      const result = await plain.executeQuery(query as never).catch(translated);
      return (result as { rows: unknown[] }).rows;
    };
  }
  if (typeof given?.query !== 'function') {
    throw new InvalidOptionError(
      'transaction',
      'neither a transaction of pg or Kysely, nor an object with query(text, values)',
    );
  }
  return async (text, values = []) => {
    const result = await given.query(withTextForJson(text), [...values]).catch(translated);
    return Array.isArray(result) ? result : ((result as { rows?: unknown[] } | undefined)?.rows ?? []);
  };
}

/**
 * Declares JSON parameters as text. They are texts already, and a driver such as postgres.js would write the text of a
 * parameter of type jsonb as JSON once more.
 */
function withTextForJson(text: string): string {
  return text.replace(/(\$\d+)::jsonb\b/g, '$1::text::jsonb');
}

function isKysely(given: TransactionLike): given is KyselyTransaction {
  return typeof (given as Partial<KyselyTransaction>)?.withoutPlugins === 'function';
}

function poolOf(query: Query) {
  const client = {
    release: () => undefined,
    query: async (text: string, values: readonly unknown[]) => ({
      command: 'SELECT',
      rows: await run(query, text, values),
    }),
  };
  return { connect: async () => client, end: async () => undefined };
}

/**
 * Runs a statement so that each row comes back as one text column with JSON. The caller's driver may parse timestamps,
 * numbers or JSON in any way, but leaves text alone. A statement that begins with `WITH` is not wrapped, so it must
 * return only text.
 */
async function run(query: Query, text: string, values: readonly unknown[]): Promise<unknown[]> {
  const returnsRows = /^\s*select\b/i.test(text) || (/\breturning\b/i.test(text) && !/^\s*with\b/i.test(text));
  if (!returnsRows) return query(text, values);
  const rows = await query(
    `with escapement_rows as (${text}) select to_jsonb(r)::text as json from escapement_rows r`,
    values,
  );
  return rows.map((row) => revive(JSON.parse((row as { json: string }).json)));
}

const INSTANT = /(At|Time|To|From|Since|Until|First|Last)$|^(now|latest|floor|at|from|to|since|until|queryStart)$/;

/** Whether `store/` gives this name only to columns that contain instants. */
export function isInstant(column: string): boolean {
  return INSTANT.test(column);
}

function revive(row: Record<string, unknown>): Record<string, unknown> {
  for (const [key, value] of Object.entries(row)) {
    if (typeof value !== 'string') continue;
    if (isInstant(key)) row[key] = new Date(value);
    else if (key === 'args') row[key] = Buffer.from(value.slice(2), 'hex');
  }
  return row;
}

const turns = new WeakMap<object, Promise<unknown>>();
const entered = new AsyncLocalStorage<Set<object>>();

/**
 * Calls on one connection run one after the other, since savepoints nest. A call within another call on the same
 * connection does not wait.
 */
function inTurn<Result>(given: object, work: () => Promise<Result>): Promise<Result> {
  const outer = entered.getStore();
  if (outer?.has(given)) return work();
  const run = () => entered.run(new Set([...(outer ?? []), given]), work);
  const turn = (turns.get(given) ?? Promise.resolve()).then(run, run);
  turns.set(
    given,
    turn.catch(() => undefined),
  );
  return turn;
}
