import { sql } from 'kysely';
import type { Store } from '../connection';
import { conditionsOf, type LetterQuery } from './read-letters';

/** Dead letters that need a person. */
export interface OpenLetters {
  /** The number of open letters, without letters that are being redriven. */
  open: number;
  /** When the oldest open letter was written; null if there are none. */
  oldestAt: Date | null;
}

export async function readOpenLetters(
  store: Store,
  { scheduleId, tenant }: { [Field in 'scheduleId' | 'tenant']?: LetterQuery[Field] | undefined },
): Promise<OpenLetters> {
  const filter = { tenant, ...(scheduleId === undefined ? {} : { scheduleId }) };
  const { rows } = await sql<OpenLetters>`
    select count(*)::int as open, min(l.created_at) as "oldestAt" from ${store.table('dead_letters')} l
    where l.state = 'open' and ${sql.join(conditionsOf(store, filter), sql` and `)}`.execute(store.db);
  return rows[0]!;
}
