import { sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { instantIn } from '../text';
import { PARKED_SINCE } from './parked-firings';

/** The letter of a step that was parked at the time when another firing of its schedule was skipped. */
export interface ParkedHolder {
  letterId: string;
  scheduledTime: Date;
}

/**
 * Finds the earliest firing of a schedule that had a parked step at an instant. A letter whose last redrive is a
 * restart or a resume is left out, unless its step still waits: its row no longer shows how long the step was parked.
 */
export async function readParkedHolder(
  store: Store,
  { scheduleId, scheduledTime, at }: FiringKey & { at: Date },
): Promise<ParkedHolder | undefined> {
  const { rows } = await sql<ParkedHolder>`
    select l.letter_id as "letterId", l.scheduled_time as "scheduledTime" from ${store.table('dead_letters')} l
    where l.schedule_id = ${scheduleId} and l.scheduled_time <> ${scheduledTime}
      and (l.kind = 'parked' or l.failed_step ? 'burial')
      and ${PARKED_SINCE} <= ${at}
      and case when l.kind = 'parked' and l.state in ('open', 'redriving') and not coalesce(l.redrive ? 'carriedOutAt', false) then true
        when l.redrive ->> 'mode' in ('restart', 'resume') then false
        else coalesce(${instantIn(sql`l.redrive`, 'carriedOutAt')}, l.updated_at) >= ${at} end
    order by l.scheduled_time limit 1`.execute(store.db);
  return rows[0];
}
