import { sql } from 'kysely';
import type { Store } from './connection';
import { beginParkedRound } from './letters/parked-round';
import { OtherInstallationError } from './postgres-errors';
import { instantIn } from './text';
import { transact } from './transaction';

export interface Incarnation {
  /** The database's identity as one text that can be compared. */
  incarnation: string;
  /** Whether this is the database that the ledger adopted last. */
  adopted: boolean;
  adoptedAt: Date | null;
}

export interface NoticedIncarnation extends Incarnation {
  /** The failover lost nothing from before this instant; null if there is nothing to adopt. */
  intactUntil: Date | null;
  /**
   * Identifies the loss: `intactUntil` as JSON, as precisely as the ledger stores it, and whether a person has declared
   * the loss. So a loss that was noticed differs from one that is declared later, even since the same instant.
   */
  loss: string | null;
}

export function incarnationColumns(store: Store) {
  const meta = (key: string) => sql`(select value from ${store.table('meta')} where key = ${key})`;
  return sql`${currentIncarnation(store)}::text as incarnation,
    ${currentIncarnation(store)} is not distinct from ${meta('incarnation')} as adopted,
    (${meta('adopted_at')} #>> '{}')::timestamptz as "adoptedAt"`;
}

/**
 * Notice which database answers, before anything else is written to it. A ledger that has no record of a database yet
 * accepts the database as it is. If the database was replaced, the ledger stores an instant before which no transaction
 * was lost. This instant is the latest of the ledger's last adoption, the last surviving heartbeat of any trigger and
 * the last alert pass: triggers that stop delete their heartbeats. If a person has declared that transactions were lost, possibly long afterwards, the instant is the last adoption. Until
 * a declared loss is adopted, another declaration is a part of it.
 *
 * @param known.heardAt when the caller last worked in another database. If this one was adopted before that, it lacks
 * what was written there since, so a loss is declared
 * @throws {OtherInstallationError} if the ledger of another installation answers; nothing is written to it
 */
export async function noticeIncarnation(
  store: Store,
  now: Date,
  { installationId, heardAt }: { installationId?: string; heardAt?: Date | undefined } = {},
): Promise<NoticedIncarnation> {
  return transact(store, async (transaction) => {
    const { db } = transaction;
    const meta = transaction.table('meta');
    const { rows } = await sql<{ value: string }>`select value from ${meta} where key = 'installation'`.execute(db);
    if (installationId !== undefined && rows[0]?.value !== installationId) throw new OtherInstallationError();
    await sql`insert into ${meta} (key, value)
      values ('incarnation', ${currentIncarnation(store)}), ('adopted_at', to_jsonb(${now}::timestamptz))
      on conflict (key) do nothing`.execute(db);
    const noticed = await notice(transaction);
    if (heardAt === undefined || !noticed.adopted || !(noticed.adoptedAt! < heardAt)) return noticed;
    await sql`update ${meta} set value = 'null' where key = 'incarnation'`.execute(db);
    return notice(transaction);
  });
}

async function notice(transaction: Store): Promise<NoticedIncarnation> {
  const { db } = transaction;
  const meta = transaction.table('meta');
  // Triggers notice a replaced database one after the other. The second trigger may read heartbeats from after the
  // failover, so the instant that the first trigger stored stays, unless a person has declared an earlier loss since.
  await sql`select from ${meta} where key = 'incarnation' for update`.execute(db);
  const noticed = await read(transaction);
  if (noticed.adopted) return noticed;
  await sql`insert into ${meta} as m (key, value)
    select 'last_claim_at', to_jsonb(greatest((a.value #>> '{}')::timestamptz, case when i.value <> 'null' then
      greatest((select max(heartbeat_at) from ${transaction.table('triggers')}),
        (select ${instantIn(sql`l.value`, 'readTo')} from ${meta} l where l.key = 'alerts')) end))
    from ${meta} i, ${meta} a where i.key = 'incarnation' and a.key = 'adopted_at'
    on conflict (key) do update set value = excluded.value where m.value = 'null' or (${isDeclared(transaction)}
      and (m.value #>> '{}')::timestamptz <> (excluded.value #>> '{}')::timestamptz)`.execute(db);
  return read(transaction);
}

async function read(store: Store): Promise<NoticedIncarnation> {
  const meta = store.table('meta');
  const { rows } = await sql<NoticedIncarnation>`
    select ${incarnationColumns(store)},
      (select (value #>> '{}')::timestamptz from ${meta} where key = 'last_claim_at') as "intactUntil",
      (select value::text from ${meta} where key = 'last_claim_at')
        || case when ${isDeclared(store)} then ' declared' else '' end as loss`.execute(store.db);
  return rows[0]!;
}

function isDeclared(store: Store) {
  return sql`(select value from ${store.table('meta')} where key = 'incarnation') = 'null'`;
}

/**
 * Record that adoption in this incarnation is done, and begin a round that asks runs for lost dead letters, if one is
 * due.
 *
 * @param query.loss the loss that was adopted, as it was noticed. @default none: a check of an adopted database
 * @param query.checker for a daily check: the trigger that has carried it out
 * @param query.lost for a failover: since when transactions may be lost, and when Temporal is asked again
 * @returns false if the database was replaced in the meantime, a person has declared that transactions were lost, or
 * the checker no longer has the daily check; no adoption is recorded then
 */
export async function recordAdoption(
  store: Store,
  query: {
    incarnation: string;
    loss?: string | null;
    now: Date;
    lost: { since: Date; againAt: Date } | undefined;
    checker?: string | undefined;
  },
): Promise<boolean> {
  const { incarnation, loss = null, now } = query;
  return transact(store, async (transaction) => {
    // A person may have declared a loss that no trigger has noticed yet.
    const noticed = await notice(transaction);
    // If another trigger has recorded the same adoption, it is recorded once more.
    const isOfLast = noticed.adopted || noticed.loss === loss;
    if (noticed.incarnation !== incarnation || !isOfLast) return false;
    if (query.checker !== undefined && !(await hasDailyCheck(transaction, query.checker))) return false;
    await sql`insert into ${transaction.table('meta')} (key, value)
      values ('incarnation', ${incarnation}::jsonb), ('adopted_at', to_jsonb(${now}::timestamptz)),
        ('last_claim_at', 'null'), ('daily_look', 'null')
      on conflict (key) do update set value = excluded.value`.execute(transaction.db);
    await beginParkedRound(transaction, query);
    return true;
  });
}

async function hasDailyCheck(transaction: Store, owner: string): Promise<boolean> {
  const { rows } = await sql`select from ${transaction.table('meta')}
    where key = 'daily_look' and value ->> 'owner' = ${owner} for update`.execute(transaction.db);
  return rows.length > 0;
}

/** Whether this database is the expected one; true if none is expected. */
export function isExpected(store: Store, incarnation: string | undefined) {
  return sql`(${incarnation ?? null}::jsonb is null or ${currentIncarnation(store)} is not distinct from ${incarnation ?? null}::jsonb)`;
}

function currentIncarnation(store: Store) {
  return sql`${sql.id(store.schema, 'incarnation')}()`;
}
