import { sql } from 'kysely';
import type { Store } from './connection';

/** Which database this is, and whether the ledger has taken notice. */
export interface Incarnation {
  /** As one comparable text. */
  incarnation: string;
  /** Whether it is the one that was adopted last. */
  adopted: boolean;
  adoptedAt: Date | null;
}

/** The columns of an {@link Incarnation}. */
export function incarnationColumns(store: Store) {
  const meta = (key: string) => sql`(select value from ${store.table('meta')} where key = ${key})`;
  return sql`${currentIncarnation(store)}::text as incarnation,
    ${currentIncarnation(store)} is not distinct from ${meta('incarnation')} as adopted,
    (${meta('adopted_at')} #>> '{}')::timestamptz as "adoptedAt"`;
}

/**
 * Take notice of the database. A ledger that never did is taken as it is. In one that has become another, the last claim
 * that survived is kept before any is added: whatever was lost came after it.
 */
export async function noticeIncarnation(store: Store, now: Date): Promise<Incarnation & { lastClaimAt: Date | null }> {
  await sql`insert into ${store.table('meta')} (key, value)
    values ('incarnation', ${currentIncarnation(store)}), ('adopted_at', to_jsonb(${now}::timestamptz))
    on conflict (key) do nothing`.execute(store.db);
  const noticed = await read(store);
  if (noticed.adopted || noticed.lastClaimAt) return noticed;
  // Without any claim, schedules may have fired since they were made.
  await sql`insert into ${store.table('meta')} as m (key, value)
    select 'last_claim_at', to_jsonb(at) from (select coalesce((select max(claimed_at) from ${store.table('firings')}),
      (select min(created_at) from ${store.table('schedules')})) as at) x where at is not null
    on conflict (key) do update set value = excluded.value where m.value = 'null'`.execute(store.db);
  return read(store);
}

async function read(store: Store): Promise<Incarnation & { lastClaimAt: Date | null }> {
  const { rows } = await sql<Incarnation & { lastClaimAt: Date | null }>`
    select ${incarnationColumns(store)}, (select (value #>> '{}')::timestamptz from ${store.table('meta')}
      where key = 'last_claim_at') as "lastClaimAt"`.execute(store.db);
  return rows[0]!;
}

/** Record that everything Temporal knew was adopted in this incarnation. */
export async function recordAdoption(store: Store, incarnation: string, now: Date): Promise<void> {
  await sql`insert into ${store.table('meta')} (key, value)
    values ('incarnation', ${incarnation}::jsonb), ('adopted_at', to_jsonb(${now}::timestamptz)), ('last_claim_at', 'null')
    on conflict (key) do update set value = excluded.value`.execute(store.db);
}

function currentIncarnation(store: Store) {
  return sql`${sql.id(store.schema, 'incarnation')}()`;
}
