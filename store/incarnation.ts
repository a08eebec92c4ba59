import { sql } from 'kysely';
import type { Store } from './connection';
import { OtherInstallationError } from './postgres-errors';
import { transact } from './transaction';

/** Which database this is, and whether the ledger has taken notice. */
export interface Incarnation {
  /** As one comparable text. */
  incarnation: string;
  /** Whether it is the one that was adopted last. */
  adopted: boolean;
  adoptedAt: Date | null;
}

/** What a ledger notes when its database has become another one. */
export interface NoticedIncarnation extends Incarnation {
  /** An instant before which nothing was lost; null unless something is to be adopted. */
  intactUntil: Date | null;
}

/** The columns of an {@link Incarnation}. */
export function incarnationColumns(store: Store) {
  const meta = (key: string) => sql`(select value from ${store.table('meta')} where key = ${key})`;
  return sql`${currentIncarnation(store)}::text as incarnation,
    ${currentIncarnation(store)} is not distinct from ${meta('incarnation')} as adopted,
    (${meta('adopted_at')} #>> '{}')::timestamptz as "adoptedAt"`;
}

/**
 * Take notice of the database, before anything is written to it. A ledger that never did is taken as it is. In one that
 * has become another, an instant is kept before which nothing was lost. It is the last sign of life of a trigger that
 * survived. Where a person says that transactions were lost, which may be long after it happened, it is when Temporal
 * was last asked.
 *
 * @param installationId whose ledger it must be
 * @throws {OtherInstallationError} when it is the ledger of another installation; nothing is written to it
 */
export async function noticeIncarnation(store: Store, now: Date, installationId?: string): Promise<NoticedIncarnation> {
  return transact(store, async (transaction) => {
    const { db } = transaction;
    const meta = transaction.table('meta');
    const { rows } = await sql<{ value: string }>`select value from ${meta} where key = 'installation'`.execute(db);
    if (installationId !== undefined && rows[0]?.value !== installationId) throw new OtherInstallationError();
    await sql`insert into ${meta} (key, value)
      values ('incarnation', ${currentIncarnation(store)}), ('adopted_at', to_jsonb(${now}::timestamptz))
      on conflict (key) do nothing`.execute(db);
    // Triggers notice one after the other: the second one's signs of life are from after it.
    await sql`select from ${meta} where key = 'incarnation' for update`.execute(db);
    const noticed = await read(transaction);
    if (noticed.adopted || noticed.intactUntil) return noticed;
    await sql`insert into ${meta} as m (key, value)
      select 'last_claim_at', to_jsonb(greatest((a.value #>> '{}')::timestamptz, case when i.value <> 'null' then
        (select max(heartbeat_at) from ${transaction.table('triggers')}) end))
      from ${meta} i, ${meta} a where i.key = 'incarnation' and a.key = 'adopted_at'
      on conflict (key) do update set value = excluded.value where m.value = 'null'`.execute(db);
    return read(transaction);
  });
}

async function read(store: Store): Promise<NoticedIncarnation> {
  const { rows } = await sql<NoticedIncarnation>`
    select ${incarnationColumns(store)}, (select (value #>> '{}')::timestamptz from ${store.table('meta')}
      where key = 'last_claim_at') as "intactUntil"`.execute(store.db);
  return rows[0]!;
}

/** Record that everything Temporal knew was adopted in this incarnation. */
export async function recordAdoption(store: Store, incarnation: string, now: Date): Promise<void> {
  await sql`insert into ${store.table('meta')} (key, value)
    values ('incarnation', ${incarnation}::jsonb), ('adopted_at', to_jsonb(${now}::timestamptz)), ('last_claim_at', 'null'),
      ('daily_look', 'null')
    on conflict (key) do update set value = excluded.value`.execute(store.db);
}

function currentIncarnation(store: Store) {
  return sql`${sql.id(store.schema, 'incarnation')}()`;
}
