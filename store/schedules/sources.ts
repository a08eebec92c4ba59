import { sql } from 'kysely';
import type { Store } from '../connection';

/** What the ledger knows of a source of schedules, in `meta` as `source:<name>`. */
export interface SourceState {
  /** The highest revision that began to be applied. */
  revision: number;
  /** Whether it was applied to its end. */
  complete: boolean;
  /** Grows with each batch that is written, so that a plan notices those after it. */
  writes: number;
}

/** A source beside the schedules that it has declared. */
export interface StoredSource {
  /** As the ledger names it. */
  name: string;
  revision: number;
  complete: boolean;
  /** Live schedules that it has declared. */
  schedules: number;
}

const PREFIX = 'source:';
const keyOf = (source: string) => `${PREFIX}${source}`;

/** Undefined for a source that never applied anything. */
export async function readSource(store: Store, source: string): Promise<SourceState | undefined> {
  const { rows } = await sql<{ value: SourceState }>`
    select value from ${store.table('meta')} where key = ${keyOf(source)}`.execute(store.db);
  return rows[0]?.value;
}

/** Every source that ever applied anything, in no order. */
export async function readSources(store: Store): Promise<StoredSource[]> {
  const { rows } = await sql<StoredSource>`select ${STORED(store)} from ${store.table('meta')} m
    where key like ${`${PREFIX}%`}`.execute(store.db);
  return rows;
}

/**
 * Set a source's revision, whatever it was. It counts as incomplete, and whoever is applying another one writes no more.
 *
 * @returns what it is by now; undefined for a source that never applied anything
 */
export async function resetSource(store: Store, source: string, revision: number): Promise<StoredSource | undefined> {
  const change = sql`jsonb_build_object('revision', ${revision}::bigint, 'complete', false,
    'writes', (value ->> 'writes')::bigint + 1)`;
  const { rows } = await sql<StoredSource>`update ${store.table('meta')} m set value = value || ${change}
    where key = ${keyOf(source)} returning ${STORED(store)}`.execute(store.db);
  return rows[0];
}

const STORED = (store: Store) => sql`substr(key, ${PREFIX.length + 1}::int) as name,
  (value ->> 'revision')::float8 as revision, (value ->> 'complete')::bool as complete,
  (select count(*)::int from ${store.table('schedules')} s
    where s.source = substr(m.key, ${PREFIX.length + 1}::int) and s.deleted_at is null) as schedules`;

/**
 * Take the source for a revision: from here on no lower one writes. It counts as incomplete until its end is reached.
 *
 * @returns what the source is by now; undefined when a higher revision has it
 */
export async function beginRevision(
  transaction: Store,
  source: string,
  revision: number,
): Promise<SourceState | undefined> {
  const { rows } = await sql<{ value: SourceState }>`
    insert into ${transaction.table('meta')} as m (key, value)
    values (${keyOf(source)}, jsonb_build_object('revision', ${revision}::bigint, 'complete', false, 'writes', 0))
    on conflict (key) do update set value = m.value || (excluded.value - 'writes')
      where (m.value ->> 'revision')::bigint <= ${revision}::bigint
    returning value`.execute(transaction.db);
  return rows[0]?.value;
}

/**
 * Hold the source for this transaction's batch: two runs of it write one after the other.
 *
 * @returns false when another revision has begun, and nothing may be written for this one any more
 */
export async function holdRevision(transaction: Store, source: string, revision: number): Promise<boolean> {
  return write(transaction, source, revision, sql`jsonb_build_object('writes', (value ->> 'writes')::bigint + 1)`);
}

/** All of a revision is written. */
export async function completeRevision(transaction: Store, source: string, revision: number): Promise<boolean> {
  return write(transaction, source, revision, sql`'{"complete": true}'::jsonb`);
}

async function write(
  transaction: Store,
  source: string,
  revision: number,
  change: ReturnType<typeof sql>,
): Promise<boolean> {
  const { rows } = await sql`update ${transaction.table('meta')} set value = value || ${change}
    where key = ${keyOf(source)} and (value ->> 'revision')::bigint = ${revision}::bigint returning 1`.execute(
    transaction.db,
  );
  return rows.length > 0;
}
