import { sql } from 'kysely';
import { type PoolClient, types } from 'pg';
import type { PoolClientLike, PoolLike } from '../../../index';
import { poolOf } from '../connections/pool';
import type { TestLedger } from '../ledger';
import type { Kind } from './claimed-columns';

/** Columns of a statement that was sent, as Postgres has them. */
export type SentColumns = { name: string; kind: Kind }[];

/**
 * A pool that records the columns of each statement's result, by the place in `store/` that sent it, until `stop` is
 * called.
 */
export function columnsPool(ledger: TestLedger): { pool: PoolLike; sent: Map<string, SentColumns[]>; stop(): void } {
  const bySite = new Map<string, Set<string>>();
  const byText = new Map<string, SentColumns>();
  const stop = watchStatements((site, text) => bySite.set(site, (bySite.get(site) ?? new Set()).add(text)));
  const pool = poolOf({ connectionString: ledger.databaseUrl, max: 3 });
  ledger.beforeClose(() => pool.end());
  const watch = (client: PoolClient): PoolClientLike => ({
    processID: (client as PoolClientLike).processID ?? null,
    on: (event, listener) => client.on(event, listener),
    removeListener: (event, listener) => client.removeListener(event, listener),
    query: async (config) => {
      const result = await client.query(config);
      // The result is a list if the text has two statements, such as those that begin a session.
      if (!Array.isArray(result)) byText.set(config.text, (result.fields ?? []).map(columnOf));
      return result;
    },
    release: (error) => client.release(error),
  });
  const sent = new Map<string, SentColumns[]>();
  return {
    pool: { connect: async () => watch(await pool.connect()) },
    sent,
    stop: () => {
      stop();
      for (const [site, texts] of bySite) {
        const answered = [...texts].flatMap((text) => (byText.has(text) ? [byText.get(text)!] : []));
        if (answered.length > 0) sent.set(site, answered);
      }
    },
  };
}

/** Finds which line of `store/` sends each statement. */
function watchStatements(said: (site: string, text: string) => void): () => void {
  const builder = Object.getPrototypeOf(sql`select`);
  const { execute } = builder;
  builder.execute = function (db: Parameters<typeof execute>[0]) {
    const frames = [...(new Error().stack ?? '').matchAll(/\/(store\/[\w/-]+\.ts:\d+):\d+/g)].map(([, site]) => site!);
    const site = frames.find((frame) => !frame.startsWith('store/transaction.ts'));
    if (site) said(site, this.compile(db).sql);
    return execute.call(this, db);
  };
  return () => {
    builder.execute = execute;
  };
}

const KINDS: Record<string, Kind> = {
  BOOL: 'boolean',
  BYTEA: 'Buffer',
  INT2: 'number',
  INT4: 'number',
  OID: 'number',
  FLOAT4: 'number',
  FLOAT8: 'number',
  TIMESTAMPTZ: 'Date',
  JSON: 'json',
  JSONB: 'json',
  // As `store/session.ts` reads it.
  INT8: 'number',
  NUMERIC: 'string',
  TEXT: 'string',
  VARCHAR: 'string',
  UUID: 'string',
  VOID: 'string',
};
const BY_OID = new Map<number, Kind>([
  ...Object.entries(types.builtins).flatMap(([name, oid]): [number, Kind][] =>
    KINDS[name] ? [[oid as number, KINDS[name]]] : [],
  ),
  [19, 'string'],
  [1000, 'boolean[]'],
  [1005, 'number[]'],
  [1007, 'number[]'],
  [1009, 'string[]'],
  [1022, 'number[]'],
  [1185, 'Date[]'],
  [2278, 'string'],
  [2951, 'string[]'],
  [3807, 'json[]'],
]);

function columnOf({ name, dataTypeID }: { name: string; dataTypeID: number }): SentColumns[number] {
  const kind = BY_OID.get(dataTypeID);
  if (!kind) throw new Error(`column ${name} has a type that this test does not know: ${dataTypeID}`);
  return { name, kind };
}
