import { sql } from 'kysely';
import type { Store } from '../connection';
import { SCHEDULES_READ_AT_MOST, type Sighting } from './sighting';

/** Finds schedules that are not deleted and whose definition a trigger could not evaluate, with the error. */
export async function readSetAside(store: Store): Promise<Sighting[]> {
  const { rows } = await sql<Omit<Sighting, 'condition' | 'count'>>`
    select s.schedule_id as "scheduleId", s.tenant, coalesce(s.set_aside_at, s.updated_at, s.created_at) as at, s.spec_error as detail
    from ${store.table('schedules')} s where s.spec_error is not null and s.deleted_at is null
    order by s.set_aside_at limit ${SCHEDULES_READ_AT_MOST}`.execute(store.db);
  return rows.map((row) => ({ condition: 'schedule_set_aside', count: 1, ...row }));
}
