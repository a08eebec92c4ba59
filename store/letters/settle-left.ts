import { sql } from 'kysely';
import type { Store } from '../connection';

/** How many letters one statement changes: a statement for all could exceed its time limit. */
const LEFT_AT_ONCE = 500;

/**
 * redriving → open | discarded, for letters whose redrive was carried out and whose firing has ended again without
 * completing. Triggers before ledger schema 17 record such an end and leave the letter as it is, so that nobody could
 * redrive or discard it. A chain that is still polled may run on, so its letter waits.
 *
 * @param before letters that were changed later are left out: the end may not be recorded yet
 */
export async function settleLeft(store: Store, { now, before }: { now: Date; before: Date }): Promise<void> {
  const letters = store.table('dead_letters');
  await sql`
    with page as materialized (
      select l.letter_id, f.state from ${letters} l
        join ${store.table('firings')} f on f.schedule_id = l.schedule_id and f.scheduled_time = l.scheduled_time
      where l.state = 'redriving' and not l.redrive ? 'lookAt' and l.updated_at < ${before} and f.epoch >= l.epoch
        and f.check_at is null and (f.state = 'abandoned' or f.state = 'closed' and f.outcome <> 'completed')
      limit ${LEFT_AT_ONCE} for no key update of l skip locked)
    update ${letters} l set updated_at = ${now},
      state = case when l.redrive ->> 'mode' = 'discard' then 'discarded' else 'open' end,
      kind = case when l.kind = 'parked' and p.state = 'closed' then 'workflow' else l.kind end
    from page p where l.letter_id = p.letter_id and l.state = 'redriving'`.execute(store.db);
}
