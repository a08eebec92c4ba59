import { sql } from 'kysely';
import type { FiringKind, FiringOutcome, FiringState } from '../../core/firing';
import type { Store } from '../connection';

export interface FiringOfLetter {
  letterId: string;
  /** The state of the firing; null if the ledger no longer has the firing. */
  state: FiringState | null;
  /** The firing's outcome; null until it is closed. */
  outcome: FiringOutcome | null;
  kind: FiringKind;
  epoch: number;
  /** `action.workflowId` of the schedule version with which the firing was claimed, and of the current version. */
  prefix: string | null;
  currentPrefix: string | null;
}

export async function readFiringsOfLetters(store: Store, letterIds: string[]): Promise<FiringOfLetter[]> {
  const versions = store.table('schedule_versions');
  const { rows } = await sql<FiringOfLetter>`
    select l.letter_id as "letterId", f.state, f.outcome, f.kind, f.epoch, v.action ->> 'workflowId' as prefix,
      c.action ->> 'workflowId' as "currentPrefix"
    from ${store.table('dead_letters')} l left join ${store.table('firings')} f using (schedule_id, scheduled_time)
      left join ${store.table('schedules')} s on s.schedule_id = l.schedule_id
      left join ${versions} v on v.schedule_id = l.schedule_id and v.version = f.schedule_version
      left join ${versions} c on c.schedule_id = l.schedule_id and c.version = s.version
    where l.letter_id = any(${letterIds}::uuid[])`.execute(store.db);
  return rows;
}
