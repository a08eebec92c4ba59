import { sql } from 'kysely';
import type { FiringKey } from '../core/firing';
import type { Store } from './connection';
import { keysTable } from './start';

/** ∅ → open letter, for firings that need a person; one that has an open letter keeps it. Under the schedules' locks. */
export async function openLetters(
  transaction: Store,
  firings: FiringKey[],
  letter: { kind: 'start' | 'workflow'; now: Date },
): Promise<void> {
  if (firings.length === 0) return;
  await sql`
    insert into ${transaction.table('dead_letters')} (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace,
      workflow_id, run_id, created_at, updated_at)
    select gen_random_uuid(), f.schedule_id, f.scheduled_time, f.epoch, ${letter.kind}, coalesce(f.reason, f.outcome), f.namespace,
      f.workflow_id, f.run_id, ${letter.now}, ${letter.now}
    from ${transaction.table('firings')} f join ${keysTable(firings)} using (schedule_id, scheduled_time)
    on conflict do nothing`.execute(transaction.db);
}
