import { sql } from 'kysely';
import type { Store } from '../connection';
import { numberIn, objectOf } from '../text';

/** The state of a source of schedules, which `meta` stores as `source:<name>`. */
export interface SourceState {
  /** The revision of the source that was begun or set last. */
  revision: number;
  /** Whether that revision was applied completely. */
  complete: boolean;
  /**
   * A counter that grows with each batch that is written, so that a plan notices batches that were written after it.
   */
  writes: number;
}

export interface StoredSource {
  name: string;
  revision: number;
  complete: boolean;
  schedules: number;
}

const PREFIX = 'source:';
const keyOf = (source: string) => `${PREFIX}${source}`;
const NEXT_WRITES = sql`coalesce(${numberIn(sql`value`, 'writes')}, 0) + 1`;

export async function readSource(store: Store, source: string): Promise<SourceState | undefined> {
  const { rows } = await sql<{ value: SourceState }>`
    select ${objectOf(sql`value`)} as value from ${store.table('meta')} where key = ${keyOf(source)}`.execute(store.db);
  return rows[0]?.value;
}

export async function readSources(store: Store): Promise<StoredSource[]> {
  const { rows } = await sql<StoredSource>`select ${STORED(store)} from ${store.table('meta')} m
    where key like ${`${PREFIX}%`}`.execute(store.db);
  return rows;
}

/**
 * Set a source's revision, whatever the current revision is. The source then counts as incomplete, and a program that
 * is applying another revision writes nothing more. Returns undefined if the source never applied anything.
 */
export async function resetSource(store: Store, source: string, revision: number): Promise<StoredSource | undefined> {
  const change = sql`jsonb_build_object('revision', ${revision}::bigint, 'complete', false,
    'writes', ${NEXT_WRITES})`;
  const { rows } =
    await sql<StoredSource>`update ${store.table('meta')} m set value = ${objectOf(sql`value`)} || ${change}
    where key = ${keyOf(source)} returning ${STORED(store)}`.execute(store.db);
  return rows[0];
}

const STORED = (store: Store) => sql`substr(key, ${PREFIX.length + 1}::int) as name,
  least(greatest(${numberIn(sql`value`, 'revision')}, 0), ${Number.MAX_SAFE_INTEGER})::float8 as revision, coalesce(value -> 'complete' = 'true', false) as complete,
  (select count(*)::int from ${store.table('schedules')} s
    where s.source = substr(m.key, ${PREFIX.length + 1}::int) and s.deleted_at is null) as schedules`;

/**
 * Begin a revision of the source: from now on a program with a lower revision writes nothing. The source counts as
 * incomplete until the revision is complete. Returns undefined if a higher revision has begun.
 */
export async function beginRevision(
  transaction: Store,
  source: string,
  revision: number,
): Promise<SourceState | undefined> {
  const { rows } = await sql<{ value: SourceState }>`
    insert into ${transaction.table('meta')} as m (key, value)
    values (${keyOf(source)}, jsonb_build_object('revision', ${revision}::bigint, 'complete', false, 'writes', 0))
    on conflict (key) do update set value = ${objectOf(sql`m.value`)} || (excluded.value - 'writes')
      where coalesce(${numberIn(sql`m.value`, 'revision')}, 0) <= ${revision}::bigint
    returning value`.execute(transaction.db);
  return rows[0]?.value;
}

/**
 * Lock the source while this transaction writes a batch, so that two runs write one after the other.
 *
 * @returns false if another revision has begun, so that this run must not write any more
 */
export async function holdRevision(transaction: Store, source: string, revision: number): Promise<boolean> {
  return write(transaction, source, revision, sql`jsonb_build_object('writes', ${NEXT_WRITES})`);
}

/** Record that a revision is completely written. Returns false if another revision has begun. */
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
    where key = ${keyOf(source)} and ${numberIn(sql`value`, 'revision')} = ${revision}::bigint returning 1`.execute(
    transaction.db,
  );
  return rows.length > 0;
}
