import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { Bench } from '../../lib/bench';
import { PostgresUsage } from '../../lib/usage/postgres-usage';
import { cpuMilliseconds, TELLS_USAGE } from '../../lib/usage/process-usage';

/** The total usage of each resource during some time. Resources that cannot be measured on this system are missing. */
export type Usage = Partial<Record<Meter, number>>;
export type Meter = keyof typeof UNITS;

export interface UsageOver {
  usage: Usage;
  milliseconds: number;
}

export const UNITS = {
  'all CPU': 'ms',
  'Temporal server CPU': 'ms',
  'Postgres CPU': 'ms',
  'trigger CPU': 'ms',
  WAL: 'bytes',
} as const;

/** The usage so far, and the position in the WAL. */
interface Reading {
  cpu: Usage;
  lsn: string;
}

/** Measures usage during some time: of the local servers and, if there is one, of a process that calls start. */
export class Meters {
  private constructor(
    private readonly bench: Bench,
    private readonly sql: Client,
    private readonly postgres: PostgresUsage | undefined,
    /** Whether this Postgres shows the contents of its WAL. */
    readonly readsWal: boolean,
  ) {}

  static async open(bench: Bench): Promise<Meters> {
    const sql = new Client({ connectionString: bench.servers.databaseUrl });
    await sql.connect();
    bench.cleanup.add('closing a connection', () => sql.end());
    return new Meters(bench, sql, await PostgresUsage.of(sql), await readWal(sql, bench));
  }

  /**
   * Makes a checkpoint before each contender, so that all begin with the same pages to write again. Without the right
   * to make a checkpoint, contenders begin with the pages as they are.
   */
  async checkpoint(): Promise<void> {
    await this.sql.query('checkpoint').catch(() => {});
  }

  /** Usage while `work` runs. */
  async over(caller: number | undefined, work: () => Promise<unknown>): Promise<UsageOver> {
    const slot = this.readsWal ? await holdWal(this.sql) : undefined;
    try {
      return await this.#over(caller, work);
    } finally {
      if (slot) await this.sql.query('select pg_drop_replication_slot($1)', [slot]);
    }
  }

  async #over(caller: number | undefined, work: () => Promise<unknown>): Promise<UsageOver> {
    const before = await this.#read(caller);
    const begunAt = performance.now();
    await work();
    const after = await this.#read(caller);
    const milliseconds = performance.now() - begunAt;
    const cpu = Object.fromEntries(meters(after.cpu).map((meter) => [meter, after.cpu[meter]! - before.cpu[meter]!]));
    const all = Object.values(cpu).reduce((sum, one) => sum + one, 0);
    const WAL = await this.#walBytes(before.lsn, after.lsn);
    return { usage: { ...(meters(cpu).length > 0 && { 'all CPU': all }), ...cpu, WAL }, milliseconds };
  }

  async #read(caller: number | undefined): Promise<Reading> {
    const { temporalProcessId } = this.bench.servers;
    const { rows } = await this.sql.query('select pg_current_wal_flush_lsn()::text as lsn');
    return {
      lsn: rows[0].lsn,
      cpu: {
        ...(temporalProcessId !== undefined && { 'Temporal server CPU': cpuMilliseconds(temporalProcessId) }),
        ...(this.postgres && { 'Postgres CPU': this.postgres.cpuMilliseconds() }),
        ...(caller !== undefined && TELLS_USAGE && { 'trigger CPU': cpuMilliseconds(caller) }),
      },
    };
  }

  /**
   * The size of the WAL. If Postgres shows the contents of its WAL, full-page images are left out. Postgres writes such
   * an image at the first change of a page after a checkpoint.
   */
  async #walBytes(from: string, to: string): Promise<number> {
    if (from === to) return 0;
    const { rows } = await this.sql.query(
      this.readsWal
        ? 'select coalesce(sum(record_size), 0)::text as bytes from pg_get_wal_stats($1, $2)'
        : 'select ($2::pg_lsn - $1::pg_lsn)::text as bytes',
      [from, to],
    );
    return Number(rows[0].bytes);
  }
}

/** Makes the contents of the WAL readable until the end of the run; returns false without the right to do so. */
async function readWal(sql: Client, { cleanup }: Bench): Promise<boolean> {
  const { rows } = await sql.query(`select from pg_extension where extname = 'pg_walinspect'`);
  if (rows.length > 0) return true;
  try {
    await sql.query('create extension pg_walinspect');
    cleanup.add('dropping an extension', async () => {
      await sql.query('drop extension pg_walinspect');
    });
    return true;
  } catch {
    return false;
  }
}

/**
 * Keeps all WAL from now on, until the replication slot with the returned name is dropped. Returns undefined without
 * the right to do so.
 */
async function holdWal(sql: Client): Promise<string | undefined> {
  const slot = `bench_${randomBytes(6).toString('hex')}`;
  const holding = sql.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
  return holding.then(
    () => slot,
    () => undefined,
  );
}

/** The usage minus the usage of an equally long idle time. */
export function beyondRest(busy: UsageOver, rest: UsageOver): Usage {
  const share = busy.milliseconds / rest.milliseconds;
  return Object.fromEntries(
    meters(busy.usage).map((meter) => [meter, busy.usage[meter]! - share * rest.usage[meter]!]),
  );
}

function meters(usage: Usage): Meter[] {
  return Object.keys(usage) as Meter[];
}
