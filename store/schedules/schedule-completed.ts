import { type RawBuilder, sql } from 'kysely';
import { TIMES } from '../../core/occurrences/manual';
import type { Store } from '../connection';
import { objectOf } from '../text';

/**
 * Whether a live schedule `s` with its timer `t` is completed. A live schedule without a next time is paused, set
 * aside, fired only by hand, or completed, or a freeze holds its last occurrences back.
 */
export function isCompleted(store: Store): RawBuilder<boolean> {
  return sql`(coalesce(t.remaining_actions = 0, false)
    or (t.next_fire_at is null and t.completed_at is not null and not s.paused and s.spec_error is null and not ${isManual(store)}))`;
}

/** Whether a schedule `s` is fired only by hand. `isManual` in `core/` decides by the same rule. */
export function isManual(store: Store): RawBuilder<boolean> {
  return sql`not exists (select from ${store.table('schedule_versions')} current, jsonb_each(${objectOf(sql`current.spec`)}) part
    where current.schedule_id = s.schedule_id and current.version = s.version
      and part.key = any(${[...TIMES]}) and part.value <> '[]')`;
}
