import { sql } from 'kysely';
import type { Store } from '../connection';

/** Who answers for a schedule, and where it says what to do. */
export interface Answerable {
  owner: string | null;
  runbook: string | null;
}

/** By schedule ID, of those that have either. */
export async function readAnswerable(store: Store, scheduleIds: string[]): Promise<Map<string, Answerable>> {
  if (scheduleIds.length === 0) return new Map();
  const { rows } = await sql<Answerable & { scheduleId: string }>`
    select schedule_id as "scheduleId", owner, runbook from ${store.table('schedules')}
    where schedule_id = any(${scheduleIds}::text[]) and (owner is not null or runbook is not null)`.execute(store.db);
  return new Map(rows.map(({ scheduleId, ...answerable }) => [scheduleId, answerable]));
}
