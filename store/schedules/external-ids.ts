import { sql } from 'kysely';
import type { Store } from '../connection';

export interface WantedExternalId {
  scheduleId: string;
  tenant: string;
  externalId: string;
}

export async function findTakenExternalIds(
  store: Store,
  wanted: WantedExternalId[],
): Promise<(WantedExternalId & { takenBy: string })[]> {
  if (wanted.length === 0) return [];
  const column = (key: keyof WantedExternalId) => wanted.map((one) => one[key]);
  const { rows } = await sql<WantedExternalId & { takenBy: string }>`
    select x.schedule_id as "scheduleId", x.tenant, x.external_id as "externalId", s.schedule_id as "takenBy"
    from unnest(${column('scheduleId')}::text[], ${column('tenant')}::text[], ${column('externalId')}::text[])
      with ordinality as x (schedule_id, tenant, external_id, place)
    join ${store.table('schedules')} s on s.tenant = x.tenant and s.external_id = x.external_id and s.deleted_at is null
      and s.external_id is not null and s.schedule_id <> x.schedule_id
    order by x.place`.execute(store.db);
  return rows;
}
