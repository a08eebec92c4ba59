import { sql } from 'kysely';
import type { BuryRequest } from '../core/park';
import { storableJson } from '../core/storable';
import type { Store } from './connection';
import { run } from './transaction';

/**
 * Open a letter of kind `parked` for a firing, or bring its open one up to date, so that burying again changes nothing. Of
 * several steps of a run it names the last one, whichever arrives first: a decision up to it is one for all.
 *
 * @returns the letter's ID; undefined when the ledger has no such firing (another installation's, or restarted since)
 */
export async function buryStep(
  store: Store,
  request: BuryRequest & { workflowId: string; runId: string },
): Promise<string | undefined> {
  const { rows } = await run(
    store,
    sql<{ letter_id: string }>`
    insert into ${store.table('dead_letters')} as l (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace,
      workflow_id, run_id, failed_step, created_at, updated_at)
    select gen_random_uuid(), f.schedule_id, f.scheduled_time, f.epoch, 'parked', 'step_failed', f.namespace, f.workflow_id,
      coalesce(f.run_id, ${request.runId}), ${storableJson({ ...request.step, runId: request.runId })}::jsonb, clock_timestamp(), clock_timestamp()
    from ${store.table('firings')} f, ${store.table('meta')} m
    where m.key = 'installation' and m.value = to_jsonb(${request.installation}::text)
      and f.schedule_id = ${request.scheduleId} and f.scheduled_time = ${new Date(request.scheduledTime)}
      and f.epoch = ${request.epoch} and f.workflow_id = ${request.workflowId}
    on conflict (schedule_id, scheduled_time) where state in ('open', 'redriving') do update set state = 'open', redrive = null,
      epoch = excluded.epoch, kind = excluded.kind, reason = excluded.reason, run_id = excluded.run_id,
      failed_step = case
        when l.failed_step ->> 'runId' = excluded.failed_step ->> 'runId'
          and (l.failed_step ->> 'burial')::int > (excluded.failed_step ->> 'burial')::int then l.failed_step
        else excluded.failed_step end,
      updated_at = excluded.updated_at
    returning letter_id`,
  );
  return rows[0]?.letter_id;
}
