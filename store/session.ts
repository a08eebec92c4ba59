import { PostgresUnreachableError } from '../core/errors';
import { arrayLiteral } from './array-literal';
import { KeptPlans } from './kept-plans';
import { ownParsers } from './parsers';
import { connectWithin, type PoolClientLike, type PoolLike } from './pool';
import { isOtherDatabase, isPlanLost, isPlanStale, OTHER_DATABASE, translatePostgresError } from './postgres-errors';
import type { UnansweredStatements } from './unanswered-statements';

export interface Expected {
  /** The incarnation of the expected database; undefined if any database is accepted. */
  incarnation: string | undefined;
  onOther: () => void;
}

export interface SessionRules {
  pool: PoolLike;
  expected: Expected;
  /** Whether nobody else uses the pool's connections, so that a session may keep its settings. */
  isOwn: boolean;
  schema: string;
  /** Longest wait for an answer, in milliseconds; 0 waits for ever. */
  queryTimeoutMilliseconds: number;
  /**
   * Whether statements with parameters are prepared by name on each connection; if undefined, only on connections that
   * have their own server process.
   */
  preparedStatements: boolean | undefined;
  /**
   * Finds statements whose answer was lost, on connections that have a server process each; undefined for a pool of the
   * caller.
   */
  unanswered: UnansweredStatements | undefined;
  /** Whether the server limits the time of each statement, as in {@link boundsOf}. */
  bounded: boolean;
}

/** The longest wait for a connection of a caller's pool. A new one may take longer to open than a statement may. */
function waitOf(queryTimeoutMilliseconds: number): number {
  return queryTimeoutMilliseconds && Math.max(queryTimeoutMilliseconds, 15_000);
}

export interface Session {
  query(text: string, values: readonly unknown[]): ReturnType<PoolClientLike['query']>;
  release(): void;
}

/**
 * Opens sessions. If the sessions are bounded, closes connections that were opened before another one was lost or
 * reported a stale plan. Such connections may lead to the dead server, or keep stale plans.
 */
export class Sessions {
  readonly #known = new WeakMap<PoolClientLike, KnownConnection>();
  readonly #plans = new WeakMap<PoolClientLike, KeptPlans>();
  #failures = 0;

  constructor(private readonly rules: SessionRules) {}

  /**
   * @param isChecked whether the connection must lead to the expected database
   * @throws {PostgresUnreachableError} if Postgres cannot be reached, or refuses the connection
   */
  async open(isChecked: boolean): Promise<Session> {
    const { schema, pool, bounded, isOwn, queryTimeoutMilliseconds } = this.rules;
    for (;;) {
      // If another connection is lost while a new one is opened, the new one may lead to the same dead server.
      const failures = this.#failures;
      const client = await connectWithin(pool, isOwn ? 0 : waitOf(queryTimeoutMilliseconds)).catch((error) => {
        throw translatePostgresError(error, schema);
      });
      const known = this.#known.get(client);
      if (known && known.failures < this.#failures) {
        client.release(true);
        continue;
      }
      client.on?.('error', ignoreLostConnection);
      const session = new PooledSession(client, this.#plansOf(client), this.rules, isChecked, () =>
        this.#doubtOthers(),
      );
      if (!bounded) return session;
      try {
        const prepared = known ?? (await this.#prepare(client, session, failures));
        session.eachAlone = !prepared.isBounded;
        session.isDirect = prepared.isBounded;
        const { incarnation } = this.rules.expected;
        if (isChecked && prepared.isBounded && prepared.leadsTo !== incarnation) {
          await session.check();
          prepared.leadsTo = incarnation;
        }
        return session;
      } catch (error) {
        session.release();
        throw error;
      }
    }
  }

  /**
   * Gives a connection of Escapement's own pool its limits once, if it has a server process for itself. Behind a
   * pooler, the next statement may reach another server process, and settings would stay on a connection that somebody
   * else uses. A pooler is recognized by the process that answers: its ID differs from the ID that the client was
   * given.
   */
  async #prepare(client: PoolClientLike, session: PooledSession, failures: number) {
    const { rows } = await session.query(
      `select pg_backend_pid() as pid, current_setting('statement_timeout') <> '0'
        and current_setting('default_transaction_isolation') = 'read committed' as bounded`,
      [],
    );
    const { pid, bounded } = rows[0] as { pid: number; bounded: boolean };
    const isDirect = pid === client.processID;
    if (isDirect && this.rules.isOwn) await session.query(boundsOf(this.rules, 'set'), []);
    const isBounded = isDirect && (this.rules.isOwn || bounded);
    const known = { failures, isBounded, leadsTo: undefined };
    this.#known.set(client, known);
    return known;
  }

  #plansOf(client: PoolClientLike): KeptPlans {
    const kept = this.#plans.get(client) ?? new KeptPlans();
    this.#plans.set(client, kept);
    return kept;
  }

  #doubtOthers(): void {
    this.#failures += 1;
  }
}

interface KnownConnection {
  /** The value of `#failures` when this connection was opened. */
  failures: number;
  /** Whether the connection has its limits and isolation level by itself, on one server process for its whole life. */
  isBounded: boolean;
  /** The database that the last check found behind this connection. */
  leadsTo: string | undefined;
}

class PooledSession implements Session {
  /** Whether each statement outside a transaction needs its own transaction for its limits. */
  eachAlone = false;
  /**
   * For a bounded session of Escapement's own pool: whether the server process that answers is the one whose ID the
   * client was given.
   */
  isDirect = false;
  #inTransaction = false;
  // A connection that failed or timed out may still be busy: it must not become idle in the pool.
  #broken = false;

  constructor(
    private readonly client: PoolClientLike,
    private readonly plans: KeptPlans,
    private readonly rules: SessionRules,
    private readonly isChecked: boolean,
    private readonly onLost: () => void,
  ) {}

  release(): void {
    this.client.removeListener?.('error', ignoreLostConnection);
    this.client.release(this.#broken || this.plans.isWornOut);
  }

  async query(text: string, values: readonly unknown[]) {
    if (text === 'begin') {
      this.#inTransaction = true;
      return this.#begin();
    }
    if (text === 'commit' || text === 'rollback') {
      this.#inTransaction = false;
      // A lost connection ends its transaction. An error of the rollback would hide the one that the caller must see.
      if (text === 'rollback' && this.#broken) return { command: 'ROLLBACK', rowCount: null, rows: [] };
      return this.#send(text);
    }
    const name = this.#nameOf(text, values);
    try {
      return await this.#sendBounded(text, values, name);
    } catch (error) {
      if (name === undefined || !isPlanLost(error)) throw error;
      this.plans.lost(error);
      // The plans of other connections may be stale too.
      if (isPlanStale(error)) this.onLost();
      // The error has ended the transaction: the caller runs the transaction again.
      if (this.#inTransaction) throw error;
      return this.#sendBounded(text, values);
    }
  }

  /** @throws {PostgresUnreachableError} if the database is not the expected one, or accepts no writes */
  async check(): Promise<void> {
    await this.#sendFirst(checkOf(this.rules));
  }

  #begin() {
    const { bounded, isOwn } = this.rules;
    // On a caller's connection the session's limits stay as they are, and Escapement's limits apply only to the
    // transaction.
    const bounds = bounded && (this.eachAlone || !isOwn) ? boundsOf(this.rules, 'set local') : '';
    // A later statement of a transaction must see what others have committed in the meantime.
    const begin = 'begin isolation level read committed';
    return this.#sendFirst([begin, bounds, this.isChecked ? checkOf(this.rules) : ''].filter(Boolean).join('; '));
  }

  /** A connection that fails in a check or at the begin of a transaction is not used again, whatever the error. */
  async #sendFirst(text: string) {
    try {
      return await this.#send(text);
    } catch (error) {
      this.#lose();
      if (isOtherDatabase(error)) this.rules.expected.onOther();
      throw error;
    }
  }

  #lose(): void {
    if (!this.#broken) this.onLost();
    this.#broken = true;
  }

  /** Send a statement within the limits of its session or transaction, or else in a transaction of its own. */
  async #sendBounded(text: string, values: readonly unknown[], name?: string) {
    if (!this.eachAlone || this.#inTransaction) return this.#send(text, values, name);
    await this.#begin();
    try {
      const result = await this.#send(text, values, name);
      await this.#send('commit');
      return result;
    } catch (error) {
      if (!this.#broken) await this.#send('rollback').catch(() => undefined);
      throw error;
    }
  }

  #watch(): () => void {
    const { unanswered } = this.rules;
    const { processID } = this.client;
    if (!unanswered || !this.isDirect || processID == null) return ignoreLostConnection;
    return unanswered.watch(processID, () => void this.client.end?.().catch(ignoreLostConnection));
  }

  /**
   * The name under which the statement is prepared; undefined if it is not prepared. A text without parameters may
   * contain several statements, which cannot be prepared.
   */
  #nameOf(text: string, values: readonly unknown[]): string | undefined {
    const isNamed = (this.rules.preparedStatements ?? this.isDirect) && values.length > 0;
    return isNamed ? this.plans.nameOf(text) : undefined;
  }

  async #send(text: string, values: readonly unknown[] = [], name?: string) {
    const { schema, queryTimeoutMilliseconds: query_timeout } = this.rules;
    const answered = this.#watch();
    try {
      const config = { text, values: values.map(arrayLiteral), types: ownParsers, query_timeout };
      return await this.client.query(name === undefined ? config : { ...config, name });
    } catch (error) {
      const translated = translatePostgresError(error, schema);
      if (translated instanceof PostgresUnreachableError) this.#lose();
      throw translated;
    } finally {
      answered();
    }
  }
}

/**
 * With these limits, a frozen process cannot hold a schedule's lock for the two hours of a TCP time-out. Postgres
 * cancels a statement after two thirds of the time that its client waits, so that the client learns the reason. JIT
 * compilation is off, since it can take longer than the statement.
 */
function boundsOf({ queryTimeoutMilliseconds }: SessionRules, set: 'set' | 'set local'): string {
  return [
    `lock_timeout = '2s'`,
    `idle_in_transaction_session_timeout = '5s'`,
    `statement_timeout = ${Math.floor((queryTimeoutMilliseconds * 2) / 3)}`,
    'jit = off',
    // A transaction that has begun has its level already.
    ...(set === 'set' ? [`default_transaction_isolation = 'read committed'`] : []),
  ]
    .map((setting) => `${set} ${setting}`)
    .join('; ');
}

/** SQL that fails if the server is not the expected database or accepts no writes; empty if no database is expected. */
function checkOf({ schema, expected: { incarnation } }: SessionRules): string {
  if (incarnation === undefined) return '';
  const quoted = `'${incarnation.replaceAll("'", "''")}'`;
  return `do $escapement$ begin
    if current_setting('transaction_read_only')::boolean then
      raise exception 'its transactions are read-only' using errcode = 'read_only_sql_transaction';
    elsif "${schema}".incarnation() is distinct from ${quoted}::jsonb then
      raise exception 'it is %', "${schema}".incarnation() using errcode = '${OTHER_DATABASE}';
    end if; end $escapement$`;
}

/**
 * A connection that dies between two queries is normal: the next query reports it. Without a listener, the error would
 * end the process.
 */
export function ignoreLostConnection(): void {}
