import { sql } from 'kysely';
import { type FiringKind, transition } from '../../core/firing';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { Store } from '../connection';
import type { LockedSchedule } from '../schedules/lock';
import { inState } from './keys';

export interface BufferedOccurrence {
  scheduledTime: Date;
  kind: Exclude<FiringKind, 'manual'>;
  workflowId: string;
  /** When the claim pass may let the firing start. @default at once */
  readyAt?: Date | undefined;
}

/**
 * ∅ → buffered, by the definition of the locked schedule; the claim pass then decides overlap. Occurrences that already
 * have a row keep it. Returns the nominal times for which a row was written, in no order.
 */
export async function bufferOccurrences(
  transaction: Store,
  locked: LockedSchedule,
  occurrences: BufferedOccurrence[],
  by: { actor: string | null; overlap: OverlapPolicy | undefined },
): Promise<Date[]> {
  if (occurrences.length === 0) return [];
  const { rows } = await sql<{ scheduledTime: Date }>`
    insert into ${transaction.table('firings')} (schedule_id, scheduled_time, state, kind, actor, overlap, namespace,
      schedule_version, workflow_id, ready_at, claimed_at)
    select ${locked.scheduleId}, x.scheduled_time, ${transition('absent', 'buffered')}, x.kind, ${by.actor},
      ${by.overlap ?? null}, ${locked.definition.namespace}, ${locked.version}::int, x.workflow_id, x.ready_at, ${locked.now}
    from unnest(${occurrences.map((row) => row.scheduledTime)}::timestamptz[],
      ${occurrences.map((row) => row.kind)}::text[], ${occurrences.map((row) => row.workflowId)}::text[],
      ${occurrences.map((row) => row.readyAt ?? null)}::timestamptz[])
      as x (scheduled_time, kind, workflow_id, ready_at)
    order by x.scheduled_time
    on conflict (schedule_id, scheduled_time) do nothing
    returning scheduled_time as "scheduledTime"`.execute(transaction.db);
  return rows.map((row) => row.scheduledTime);
}

/** buffered → skipped, for firings of the spec with nominal times from `from` up to, but not including, `before`. */
export async function supersedeBuffered(
  transaction: Store,
  { scheduleId, now }: LockedSchedule,
  { from, before }: { from: Date; before: Date },
): Promise<void> {
  await sql`update ${transaction.table('firings')} f set state = ${transition('buffered', 'skipped')}, reason = 'superseded', claimed_at = ${now}
    where f.schedule_id = ${scheduleId} and f.scheduled_time >= ${from} and f.scheduled_time < ${before}
      and ${inState('buffered')} and f.kind in ('schedule', 'catchup')`.execute(transaction.db);
}

/** Make a locked schedule due for the claim pass. Plans that were made before become invalid. */
export async function wakeTimer(transaction: Store, locked: LockedSchedule): Promise<void> {
  await sql`update ${transaction.table('timers')} set wake_at = ${locked.now}, seq = seq + 1
    where schedule_id = ${locked.scheduleId}`.execute(transaction.db);
}
