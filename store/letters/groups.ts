import { sql } from 'kysely';
import type { EncodedPayload } from '../../core/definition/definition';
import type { Store } from '../connection';
import { conditionsOf, FAILURE_TYPE, type LetterQuery, STEP_NAME, statesOf } from './read-letters';

/** Letters that have one cause in common: the same failure type, step and workflow type. */
export interface LetterGroup {
  /** The type of the failure, or else the reason of the letters. */
  failureType: string;
  /** The step that failed; null if none is known. */
  step: string | null;
  /** The workflow type; null for letters that an older version wrote. */
  workflowType: string | null;
  /** The number of letters. */
  letters: number;
  /** The number of their schedules. */
  schedules: number;
  /** When the oldest letter was written. */
  oldestAt: Date;
  /** When the newest letter was written. */
  newestAt: Date;
  /** The message of the newest letter; null if it has none. */
  message: string | null;
}

/** A group of letters, with the message of its newest letter as it is stored, possibly encoded. */
export interface StoredLetterGroup extends LetterGroup {
  encoded: EncodedPayload | null;
}

export async function readLetterGroups(store: Store, filter: LetterQuery): Promise<StoredLetterGroup[]> {
  const { rows } = await sql<StoredLetterGroup>`
    select ${FAILURE_TYPE} as "failureType", ${STEP_NAME} as step,
      l.workflow_type as "workflowType", count(*)::int as letters, count(distinct l.schedule_id)::int as schedules,
      min(l.created_at) as "oldestAt", max(l.created_at) as "newestAt",
      (array_agg(l.failed_step #>> '{failure,message}' order by l.created_at desc))[1] as message,
      (array_agg(l.failed_step #>> '{failure,encoded}' order by l.created_at desc))[1] as encoded
    from ${store.table('dead_letters')} l
    where l.state = any(${statesOf(filter)}::text[]) and ${sql.join(conditionsOf(store, filter), sql` and `)}
    group by 1, 2, 3 order by letters desc, "oldestAt"`.execute(store.db);
  return rows;
}
