import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely';

/** Postgres, in which every transaction is begun with its bounds. */
export class LedgerDialect extends PostgresDialect {
  constructor(private readonly config: PostgresDialectConfig) {
    super(config);
  }

  override createDriver(): PostgresDriver {
    return new LedgerDriver(this.config);
  }
}

/**
 * Bounded on every side, so that a process that freezes in the middle cannot hold a schedule's lock for the two hours that
 * TCP would give it. Without compiling its statements, which takes longer than running them: the planner takes thousands
 * of keys for as many looks at a cold index. One text without parameters, which takes one round trip.
 */
const BEGIN = `begin;
  set local lock_timeout = '2s';
  set local idle_in_transaction_session_timeout = '5s';
  set local statement_timeout = '10s';
  set local jit = off`;

class LedgerDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(BEGIN));
  }
}
