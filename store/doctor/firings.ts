import { sql } from 'kysely';
import { READ_AT_MOST } from '../alerts/sighting';
import type { Store } from '../connection';
import { isAnnounced } from '../firings/due-checks';

/** Claims that a trigger has announced, and that no trigger has checked though it was time for that. */
export async function readStuckClaims(store: Store, before: Date): Promise<{ count: number; scheduleIds: string[] }> {
  const { rows } = await sql<{ scheduleId: string }>`
    select f.schedule_id as "scheduleId" from ${store.table('firings')} f
    where f.state = 'claimed' and f.check_at <= ${before} and ${isAnnounced} order by f.check_at limit ${READ_AT_MOST}`.execute(
    store.db,
  );
  return { count: rows.length, scheduleIds: [...new Set(rows.map(({ scheduleId }) => scheduleId))] };
}

/** Open dead letters of a kind. */
export interface LettersOfKind {
  kind: 'start' | 'workflow' | 'parked';
  open: number;
  oldestAt: Date;
  /** A letter to begin with: the oldest. */
  letterId: string;
}

export async function readLettersByKind(store: Store): Promise<LettersOfKind[]> {
  const { rows } = await sql<LettersOfKind>`
    select kind, count(*)::int as open, min(created_at) as "oldestAt",
      (array_agg(letter_id::text order by created_at, letter_id))[1] as "letterId"
    from ${store.table('dead_letters')} where state = 'open' group by kind order by kind`.execute(store.db);
  return rows;
}
