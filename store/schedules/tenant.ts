import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';

/** Whether a schedule, live or deleted, belongs to a tenant; always true if no tenant is given. */
export function ofTenant(
  store: Store,
  scheduleId: string | RawBuilder<unknown>,
  tenant: string | undefined,
): RawBuilder<unknown> {
  if (tenant === undefined) return sql`true`;
  return sql`exists (select from ${store.table('schedules')} s where s.schedule_id = ${scheduleId} and s.tenant = ${tenant})`;
}
