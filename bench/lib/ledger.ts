import { randomBytes } from 'node:crypto';
import { Client, Pool, type QueryResultRow } from 'pg';
import { EscapementClient, type EscapementClientOptions } from '../../index';
import { migrate } from '../../migrations';
import { until } from './wait';

/** A new database with the current schema. */
export class Ledger {
  readonly pool: Pool;
  readonly client: EscapementClient;

  private constructor(
    readonly databaseUrl: string,
    private readonly server: string,
    readonly name: string,
    private readonly namespace: string,
  ) {
    this.pool = new Pool({ connectionString: databaseUrl, max: 16 });
    // A closed connection may still get an error when its database is dropped.
    this.pool.on('error', () => {}).on('connect', (connection) => connection.on('error', () => {}));
    this.client = this.newClient();
  }

  static async create(server: string, namespace: string): Promise<Ledger> {
    const name = `escapement_bench_${randomBytes(6).toString('hex')}`;
    await asAdmin(server, `create database ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    await migrate({ connectionString: url.href });
    return new Ledger(url.href, server, name, namespace);
  }

  newClient(options: Partial<EscapementClientOptions> = {}): EscapementClient {
    return new EscapementClient({ pool: this.pool, namespace: this.namespace, identity: 'bench', ...options });
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  /** Number of firings that match the SQL condition. */
  async count(condition = 'true', values: unknown[] = []): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      `select count(*)::int as count from escapement.firings where ${condition}`,
      values,
    );
    return row!.count;
  }

  /** Waits until triggers have recorded how each firing ended, which may be seconds after its workflow has ended. */
  async untilNoneIsOpen(): Promise<void> {
    const open = () => this.count(`state in ('buffered', 'claimed', 'linked')`);
    await until('the record of each end', async () => (await open()) === 0);
  }

  async drop(): Promise<void> {
    await this.client.close();
    await this.pool.end();
    await asAdmin(this.server, `drop database if exists ${this.name} with (force)`);
  }
}

async function asAdmin(server: string, statement: string): Promise<void> {
  const admin = new Client({ connectionString: server });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}
