import { sql } from 'kysely';
import type { Store } from '../connection';

export async function readThoseOfTenant(store: Store, scheduleIds: string[], tenant: string): Promise<string[]> {
  const { rows } = await sql<{ scheduleId: string }>`
    select s.schedule_id as "scheduleId" from ${store.table('schedules')} s
    where s.schedule_id = any(${scheduleIds}::text[]) and s.tenant = ${tenant}`.execute(store.db);
  return rows.map(({ scheduleId }) => scheduleId);
}
