import { sql } from 'kysely';
import type { Store } from '../connection';
import { conditionsOf, FAILURE_TYPE, type LetterQuery, STEP_NAME } from './read-letters';

/** How many letters of one cause were written in one period, whatever state they are in now. */
export interface LettersBucket {
  failureType: string;
  step: string | null;
  workflowType: string | null;
  at: Date;
  letters: number;
}

export async function readLettersOverTime(
  store: Store,
  { from, bucketMilliseconds, tenant }: { from: Date; bucketMilliseconds: number; tenant: string | undefined },
): Promise<LettersBucket[]> {
  const filter: LetterQuery = { from, tenant };
  const { rows } = await sql<LettersBucket>`
    select * from (select ${FAILURE_TYPE} as "failureType", ${STEP_NAME} as step, l.workflow_type as "workflowType",
      date_bin(${bucketMilliseconds} * interval '1 millisecond', l.created_at, ${from}::timestamptz) as at, count(*)::int as letters
    from ${store.table('dead_letters')} l
    where l.state in ('open', 'redriving', 'resolved', 'discarded') and ${sql.join(conditionsOf(store, filter), sql` and `)}
    group by 1, 2, 3, 4) x order by at`.execute(store.db);
  return rows;
}
