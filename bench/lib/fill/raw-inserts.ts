import type { Ledger } from '../ledger';
import { inParallel } from '../wait';

/** Inserts the rows that claims wrote, without a trigger. */
export interface RawInserter {
  rows: number;
  /**
   * Inserts all rows into an empty table, `batch` rows per statement, on parallel connections. Each statement commits
   * by itself. Returns the rows per second.
   */
  perSecond(batch: number, connections: number): Promise<number>;
}

/**
 * Reads back the firings of one instant, and creates a table with the same columns, constraints and indexes. A batch is
 * one statement with one array per column.
 */
export async function rawInserter(ledger: Ledger, instant: Date): Promise<RawInserter> {
  await ledger.query('create table raw_firings (like escapement.firings including all)');
  const columns = await ledger.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'raw_firings'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  const names = columns.map(({ name }) => name);
  const rows = await ledger.query<Record<string, string | null>>(
    `select ${names.map((name) => `${name}::text`).join(', ')} from escapement.firings
     where scheduled_time = $1 order by schedule_id`,
    [instant],
  );
  const statement = `insert into raw_firings select ${columns.map(({ name, type }) => `${name}::${type}`).join(', ')}
    from unnest(${names.map((_, index) => `$${index + 1}::text[]`).join(', ')}) as row (${names.join(', ')})`;
  return {
    rows: rows.length,
    async perSecond(batch, connections) {
      await ledger.query('truncate raw_firings');
      const batches: (string | null)[][][] = [];
      for (let from = 0; from < rows.length; from += batch) {
        const part = rows.slice(from, from + batch);
        batches.push(names.map((name) => part.map((row) => row[name] ?? null)));
      }
      // Opening the connections is not measured.
      const clients = await Promise.all(Array.from({ length: connections }, () => ledger.pool.connect()));
      for (const client of clients) client.release();
      const begun = performance.now();
      await inParallel(batches.length, connections, (index) => ledger.pool.query(statement, batches[index]));
      return (rows.length / (performance.now() - begun)) * 1_000;
    },
  };
}
