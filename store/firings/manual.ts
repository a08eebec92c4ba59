import { sql } from 'kysely';
import { transition } from '../../core/firing';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { Store } from '../connection';
import type { LockedSchedule } from '../schedules/lock';
import { wakeTimer } from './buffered';

/**
 * The key of the next manual firing: one millisecond after the latest manual firing since the beginning of this second,
 * or else .001 of this second. Occurrences have no milliseconds, so a whole second is never used. After .999, the key
 * is .001 of the next second. The caller holds the schedule's lock.
 */
export async function nextManualTime(transaction: Store, locked: LockedSchedule): Promise<Date> {
  const { rows } = await sql<{ latest: Date | null }>`
    select max(scheduled_time) as latest from ${transaction.table('firings')}
    where schedule_id = ${locked.scheduleId} and kind = 'manual'
      and scheduled_time >= date_trunc('second', ${locked.now}::timestamptz)`.execute(transaction.db);
  const second = Math.floor(locked.now.getTime() / 1_000) * 1_000;
  const next = Math.max(second, rows[0]?.latest?.getTime() ?? 0) + 1;
  return new Date(next % 1_000 === 0 ? next + 1 : next);
}

export interface ManualFiring {
  scheduledTime: Date;
  workflowId: string;
  version: number;
  actor: string;
  /** The firing's own overlap policy; undefined for the policy of its schedule. */
  overlap: OverlapPolicy | undefined;
}

/**
 * Insert the definition of one manual firing that has arguments of its own. The version number of such a definition is
 * below zero, so the definition is never the schedule's current one. The number is below those of an erased schedule
 * with the same ID, since triggers cache definitions. Every trigger reads a firing's definition by the firing's version
 * number, and so starts the firing with its own arguments. Returns the version number.
 */
export async function insertManualVersion(
  transaction: Store,
  { scheduleId, version, now }: LockedSchedule,
  actor: string,
  args: Uint8Array,
): Promise<number> {
  const versions = transaction.table('schedule_versions');
  const { rows } = await sql<{ version: number }>`
    insert into ${versions} (schedule_id, version, namespace, spec, action, args, policies, actor, created_at)
    select schedule_id, (select least(min(version), -${version}::int) - 1 from ${versions} where schedule_id = ${scheduleId}),
      namespace, spec, action, ${Buffer.from(args)}, policies, ${actor}, ${now}
    from ${versions} where schedule_id = ${scheduleId} and version = ${version}
    returning version`.execute(transaction.db);
  return rows[0]!.version;
}

/**
 * Give an abandoned manual firing that has arguments of its own the schedule's current definition, by a new version
 * with the same arguments. Does nothing for any other firing. The caller holds the schedule's lock.
 */
export async function renewManualVersion(
  transaction: Store,
  locked: LockedSchedule,
  scheduledTime: Date,
  actor: string,
): Promise<void> {
  const firings = transaction.table('firings');
  const { rows } = await sql<{ args: Buffer | null }>`
    select v.args from ${firings} f join ${transaction.table('schedule_versions')} v on v.schedule_id = f.schedule_id and v.version = f.schedule_version
    where f.schedule_id = ${locked.scheduleId} and f.scheduled_time = ${scheduledTime} and f.state = 'abandoned' and v.version < 0`.execute(
    transaction.db,
  );
  const args = rows[0]?.args;
  if (!args) return;
  const version = await insertManualVersion(transaction, locked, actor, args);
  await sql`update ${firings} set schedule_version = ${version}
    where schedule_id = ${locked.scheduleId} and scheduled_time = ${scheduledTime}`.execute(transaction.db);
}

/** ∅ → buffered. The claim pass decides the firing's overlap, even if the schedule is paused. */
export async function bufferManualFiring(
  transaction: Store,
  locked: LockedSchedule,
  firing: ManualFiring,
): Promise<void> {
  await sql`insert into ${transaction.table('firings')} (schedule_id, scheduled_time, state, kind, actor, overlap, namespace,
      schedule_version, workflow_id, claimed_at)
    values (${locked.scheduleId}, ${firing.scheduledTime}, ${transition('absent', 'buffered')}, 'manual', ${firing.actor},
      ${firing.overlap ?? null}, ${locked.definition.namespace}, ${firing.version}, ${firing.workflowId}, ${locked.now})`.execute(
    transaction.db,
  );
  await wakeTimer(transaction, locked);
}
