import { sql } from 'kysely';
import type { BuryRequest } from '../../core/letters/park';
import { storableJson } from '../../core/storable';
import type { Store } from '../connection';
import { partitionOf } from '../firings/partitions';
import { isOfErased } from '../schedules/purged';
import { run } from '../transaction';

/**
 * Write the letter of a parked step. If the step was tried again, or ran again after a reset, its former letter opens
 * again. A person's decision that was not announced to a run yet stays. Parking a step twice changes no letter. After a
 * worker has died, another step of the run may get the same number `burial`. That step takes over the letter, without
 * the decision. If the ledger has lost the step's letter, the letter comes back with the same ID.
 *
 * @returns the letter's ID; undefined if the ledger has no such firing, or the step has been tried again since
 */
export async function buryStep(
  store: Store,
  request: Omit<BuryRequest, 'failureTypes'> & { workflowId: string; runId: string },
): Promise<string | undefined> {
  const { step, runId } = request;
  const failedAt = new Date(request.failedAt).toISOString();
  // The testing kit sets `step.failedAt`, by its virtual clock.
  const stored = sql`${storableJson({ failedAt, ...step, runId })}::jsonb`;
  const isOfFiring = sql`l.schedule_id = f.schedule_id and l.scheduled_time = f.scheduled_time and l.epoch = f.epoch`;
  const hasNumber = sql`(l.failed_step ->> 'runId' = ${runId} and (l.failed_step ->> 'burial')::int = ${step.burial})`;
  // Another step has the number if a worker died before its workflow task was complete, and another step failed first
  // in the next task.
  const isOther = sql`coalesce(l.failed_step ->> 'activityId' <> ${step.activityId ?? null}, false)`;
  // A letter with a higher `burial`: the step has been tried again since, and a parking call that arrives late must not
  // change the letter back.
  const isLater = sql`coalesce(l.failed_step ->> 'runId' = ${runId} and (l.failed_step ->> 'burial')::int > ${step.burial}, false)`;
  // After a reset to before its first failure, the step has the same activity type and ID in another run. A redriven
  // step has had further IDs since.
  const firstActivityId = sql`coalesce(l.failed_step ->> 'firstActivityId', l.failed_step ->> 'activityId')`;
  const isReset = sql`l.failed_step ->> 'runId' <> ${runId} and l.failed_step ->> 'originalRunId' = ${step.originalRunId ?? null}
    and l.failed_step ->> 'activityType' = ${step.activityType} and ${firstActivityId} = ${step.activityId ?? null}`;
  const isKept = sql`(${isUntold} and not ${hasNumber})`;
  const { rows } = await run(
    store,
    sql<{ letter_id: string }>`
    with firing as (
      select f.* from ${store.table('firings')} f, ${store.table('meta')} m
      where m.key = 'installation' and m.value = to_jsonb(${request.installation}::text)
        and f.schedule_id = ${request.scheduleId} and f.scheduled_time = ${new Date(request.scheduledTime)}
        and f.epoch = ${request.epoch} and f.workflow_id = ${request.workflowId}),
    known as (
      select l.letter_id from ${store.table('dead_letters')} l, firing f where ${isOfFiring} and ${hasNumber} and not ${isOther} limit 1),
    former as (
      select l.letter_id from ${store.table('dead_letters')} l, firing f
      where ${isOfFiring} and not exists (select from known) and (${hasNumber} or l.state in ('open', 'redriving')
        and (l.letter_id = ${request.letterId ?? null}::uuid or ${isReset}) and not ${isLater})
      order by ${hasNumber} desc, l.letter_id = ${request.letterId ?? null}::uuid desc nulls last, l.created_at limit 1),
    again as (
      update ${store.table('dead_letters')} l set kind = 'parked', reason = 'step_failed', failed_step = ${stored}
          || case when ${hasNumber} then '{}' else jsonb_strip_nulls(jsonb_build_object('firstActivityId', ${firstActivityId})) end,
        state = case when ${isKept} then l.state else 'open' end, redrive = case when ${isKept} then l.redrive end,
        updated_at = clock_timestamp()
      from former o where l.letter_id = o.letter_id returning l.letter_id),
    fresh as (
      insert into ${store.table('letters')} as l (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace,
        workflow_id, run_id, workflow_type, failed_step, created_at, updated_at)
      select coalesce(w.letter_id, gen_random_uuid()), f.schedule_id, f.scheduled_time, f.epoch, 'parked', 'step_failed', f.namespace, f.workflow_id,
        coalesce(f.run_id, ${runId}), v.action ->> 'workflowType', ${stored}, clock_timestamp(), clock_timestamp()
      from firing f left join ${store.table('schedule_versions')} v
        on v.schedule_id = f.schedule_id and v.version = f.schedule_version
      left join (select ${request.letterId ?? null}::uuid as letter_id) w
        on not exists (select from ${store.table('dead_letters')} l where l.letter_id = w.letter_id)
      where not exists (select from known) and not exists (select from former)
        and not exists (select from ${store.table('dead_letters')} l where l.letter_id = ${request.letterId ?? null}::uuid and ${isLater})
      on conflict (schedule_id, scheduled_time, epoch, (failed_step ->> 'runId'), ((failed_step ->> 'burial')::int))
        where failed_step ->> 'burial' is not null do update set updated_at = l.updated_at
      returning l.letter_id),
    -- If the firing is closed, its chain runs again, mostly by a person's reset. A trigger polls the firing now, even if it had completed.
    ended as (
      select f.* from ${store.table('firings')} f join firing x using (schedule_id, scheduled_time)
      where f.scheduled_time = ${new Date(request.scheduledTime)} and f.state = 'closed' for no key update of f skip locked),
    polled as (
      update ${store.table('firings')} f set check_at = ${failedAt} from ended x
      where f.schedule_id = x.schedule_id and f.scheduled_time = ${new Date(request.scheduledTime)} and f.state = 'closed')
    select letter_id from known union all select letter_id from again union all select letter_id from fresh`,
  );
  return rows[0]?.letter_id;
}

/**
 * Whether a failover may have lost the firing's row or its restart, so that adoption restores it. A firing of another
 * installation, of an erased schedule or a retired month, or one that was restarted since does not come back.
 */
export async function mayHaveLostFiring(
  store: Store,
  {
    installation,
    scheduleId,
    scheduledTime,
    epoch,
    startedAt,
  }: Pick<BuryRequest, 'installation' | 'scheduleId' | 'scheduledTime' | 'epoch' | 'startedAt'>,
): Promise<boolean> {
  const { rows } = await run(
    store,
    sql<{ lost: boolean }>`
    select exists (select from ${store.table('meta')} where key = 'installation' and value = to_jsonb(${installation}::text))
      and exists (select from ${store.table('schedule_versions')} where schedule_id = ${scheduleId})
      and not exists (select from ${store.table('firings')} where schedule_id = ${scheduleId}
        and scheduled_time = ${new Date(scheduledTime)} and epoch >= ${epoch})
      -- A retired month is created again for a redrive, and adoption then restores its rows.
      and not exists (select from ${store.table('meta')} where key = 'retention_floor'
        and ${new Date(scheduledTime)} < (value #>> '{}')::timestamptz
        and to_regclass(${partitionOf(store, new Date(scheduledTime))}) is null)
      and ${isOfErased(store)} is not true as lost
    from (select ${scheduleId}::text as schedule_id, ${startedAt ? new Date(startedAt) : null}::timestamptz as started_at) x`,
  );
  return rows[0]!.lost;
}

/** A person decided about the parked step, and no decision was announced to a run. */
const isUntold = sql`(l.state = 'redriving' and l.redrive ? 'lookAt' and not l.redrive ? 'told'
  and l.redrive ->> 'mode' in ('continue', 'complete', 'discard'))`;
