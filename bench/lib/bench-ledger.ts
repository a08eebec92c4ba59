import { Pool } from 'pg';
import { EscapementClient } from '../../index';
import { providePostgres } from '../../provision';
import { createTestDatabase } from '../../testing';

/** A ledger that needs only Postgres. */
export interface BenchLedger {
  connectionString: string;
  pool: Pool;
  client: EscapementClient;
  onProgress: (line: string) => void;
}

/** Run work on a new ledger, in the Postgres of `DATABASE_URL` or a provided one. The ledger is dropped afterwards. */
export async function benchLedger(work: (ledger: BenchLedger) => Promise<void>): Promise<void> {
  const onProgress = (line: string) => console.error(line);
  const postgres = await providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress });
  const database = await createTestDatabase({ databaseUrl: postgres.databaseUrl });
  const connectionString = database.databaseUrl;
  const pool = new Pool({ connectionString });
  try {
    await work({ connectionString, pool, client: new EscapementClient({ pool }), onProgress });
  } finally {
    await pool.end();
    await database.drop();
    await postgres.stop();
  }
}
