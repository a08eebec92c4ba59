import { sql } from 'kysely';
import type { EncodedPayload } from '../../core/definition/definition';
import type { Store } from '../connection';
import { conditionsOf, FAILURE_TYPE, type LetterQuery, STEP_NAME, statesOf } from './read-letters';

/** Letters of one cause. */
export interface LetterGroup {
  /** Type of the failure; the reason of a start that was given up. */
  failureType: string;
  /** The step that failed; null where the workflow failed by itself, or never started. */
  step: string | null;
  /** Type of the workflow; null of letters that an older version wrote. */
  workflowType: string | null;
  /** How many letters. */
  letters: number;
  /** How many schedules they are of. */
  schedules: number;
  /** When the oldest was written. */
  oldestAt: Date;
  /** When the newest was written. */
  newestAt: Date;
  /** What the newest one says; null where it says nothing. */
  message: string | null;
}

/** A group, with what its newest letter says where that is encoded. */
export interface StoredLetterGroup extends LetterGroup {
  encoded: EncodedPayload | null;
}

/** Groups of the letters that match, the largest first. */
export async function readLetterGroups(store: Store, filter: LetterQuery): Promise<StoredLetterGroup[]> {
  const { rows } = await sql<StoredLetterGroup>`
    select ${FAILURE_TYPE} as "failureType", ${STEP_NAME} as step,
      l.workflow_type as "workflowType", count(*)::int as letters, count(distinct l.schedule_id)::int as schedules,
      min(l.created_at) as "oldestAt", max(l.created_at) as "newestAt",
      (array_agg(l.failed_step #>> '{failure,message}' order by l.created_at desc))[1] as message,
      (array_agg(l.failed_step #> '{failure,encoded}' order by l.created_at desc))[1] as encoded
    from ${store.table('dead_letters')} l
    where l.state = any(${statesOf(filter)}::text[]) and ${sql.join(conditionsOf(store, filter), sql` and `)}
    group by 1, 2, 3 order by letters desc, "oldestAt"`.execute(store.db);
  return rows;
}
