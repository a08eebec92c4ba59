import { type RawBuilder, sql } from 'kysely';
import { rememberTokens } from '../api/tokens';
import type { Store } from '../connection';
import { countRows, deletePages, type PersonalTable } from './tables';

/** Erase the rows that name a tenant, such as limits and silences, and the tenant's sources and leases. */
export async function eraseTenant(
  store: Store,
  tenant: string,
  tables: PersonalTable[],
): Promise<Record<string, number>> {
  await rememberTokens(store);
  return each(store, tenant, tables, deletePages);
}

export async function countOfTenant(
  store: Store,
  tenant: string,
  tables: PersonalTable[],
): Promise<Record<string, number>> {
  return each(store, tenant, tables, countRows);
}

async function each(
  store: Store,
  tenant: string,
  tables: PersonalTable[],
  work: (store: Store, table: string, condition: RawBuilder<unknown>) => Promise<number>,
): Promise<Record<string, number>> {
  // The beginning of a name that `scopedName` makes: a JSON list of the tenant and the name.
  const scoped = `[${JSON.stringify(tenant)},`;
  const conditions: [kind: string, table: string, condition: RawBuilder<unknown>][] = [
    [
      'alert_messages',
      'alert_messages',
      sql`x.alert_id in (select alert_id from ${store.table('alerts')} where tenant = ${tenant})`,
    ],
    // A lease that is still held is left to the sweep, which deletes it a day after its end.
    ['leases', 'leases', sql`starts_with(x.resource, ${scoped}) and x.expires_at < clock_timestamp()`],
    ['sources', 'meta', sql`starts_with(x.key, ${`source:${scoped}`})`],
    ...tables
      .filter(({ byTenant }) => byTenant)
      .map(({ kind, name }): [string, string, RawBuilder<unknown>] => [kind, name, sql`x.tenant = ${tenant}`]),
  ];
  const counts: Record<string, number> = {};
  for (const [kind, table, condition] of conditions) {
    const count = await work(store, table, condition);
    if (count > 0) counts[kind] = (counts[kind] ?? 0) + count;
  }
  return counts;
}
