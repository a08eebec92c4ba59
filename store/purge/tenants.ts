import { type RawBuilder, sql } from 'kysely';
import { rememberTokens } from '../api/tokens';
import type { Store } from '../connection';
import { addCounts, countKind, eraseKind, type PersonalRows, type PersonalTable } from './tables';

/**
 * Erase the rows that name a tenant, such as limits and silences, and the tenant's sources, ended leases and stored
 * answers. Rows of schedules that somebody has created for the tenant meanwhile stay.
 */
export async function eraseTenant(
  store: Store,
  tenant: string,
  tables: PersonalTable[],
): Promise<Record<string, number>> {
  await rememberTokens(store);
  return each(store, tenant, tables, eraseKind);
}

/** Count what {@link eraseTenant} would erase once the tenant's schedules and their rows are erased. */
export async function countOfTenant(
  store: Store,
  tenant: string,
  tables: PersonalTable[],
): Promise<Record<string, number>> {
  return each(store, tenant, tables, countKind);
}

/** True for a stored answer `x` to a caller of a tenant. The caller is a JSON list of a name and the tenant. */
export function isAnswerTo(tenant: string): RawBuilder<boolean> {
  const end = `,${JSON.stringify(tenant)}]`;
  return sql`right(x.caller, length(${end}::text)) = ${end}`;
}

async function each(
  store: Store,
  tenant: string,
  tables: PersonalTable[],
  work: (store: Store, rows: PersonalRows) => Promise<Record<string, number>>,
): Promise<Record<string, number>> {
  // A statement that sees a claim also sees its schedule, so no claim of a new schedule is erased.
  const isErased = sql`not exists (select from ${store.table('schedules')} s
    where s.schedule_id = x.schedule_id and s.tenant = ${tenant})`;
  // The beginning of a name that `scopedName` makes: a JSON list of the tenant and the name.
  const scoped = `[${JSON.stringify(tenant)},`;
  const all: PersonalRows[] = [
    // A lease that is still held is left to the sweep, which deletes it a day after its end.
    {
      kind: 'leases',
      table: 'leases',
      condition: sql`starts_with(x.resource, ${scoped}) and x.expires_at < clock_timestamp()`,
    },
    { kind: 'sources', table: 'meta', condition: sql`starts_with(x.key, ${`source:${scoped}`})` },
    ...tables
      .filter(({ byTenant }) => byTenant)
      .map(({ kind, name, bySchedule }) => ({
        kind,
        table: name,
        condition: sql`x.tenant = ${tenant} and ${bySchedule ? isErased : sql`true`}`,
      })),
    { kind: 'api_requests', table: 'api_requests', condition: isAnswerTo(tenant) },
  ];
  const counts: Record<string, number> = {};
  for (const rows of all) addCounts(counts, await work(store, rows));
  return counts;
}
