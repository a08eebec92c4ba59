import { sql } from 'kysely';
import type { Store } from '../connection';
import { SCHEDULES_READ_AT_MOST, type Sighting, sightings } from './sighting';

export async function readSetAside(store: Store): Promise<Sighting[]> {
  return sightings(
    store,
    'schedule_set_aside',
    sql`select s.schedule_id, 1 as count, coalesce(s.set_aside_at, s.updated_at, s.created_at) as at, null::float8 as rule, s.spec_error
      from ${store.table('schedules')} s where s.spec_error is not null and s.deleted_at is null`,
    { detail: sql`x.spec_error`, schedulesAtMost: SCHEDULES_READ_AT_MOST },
  );
}
