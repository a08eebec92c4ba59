import { sql } from 'kysely';
import type { ScheduleSpec } from '../../core/schedule';
import type { Store } from '../connection';
import { contains } from '../text';

/** Schedules that fire at the same times. */
export interface Form {
  /** Without its jitter, which moves starts and no nominal time. */
  spec: ScheduleSpec;
  schedules: number;
  /** IDs of them: all where the times depend on the ID, else some. */
  scheduleIds: string[];
  /** How many of them have a jitter. */
  jittered: number;
}

/** Which schedules are meant. */
export interface FormQuery {
  /** Those that fire by then at all. */
  until: Date;
  tenant: string | undefined;
  /** Part of the ID or the note. */
  text?: string | undefined;
  namespace?: string | undefined;
  taskQueue?: string | undefined;
  /** IDs that are named of a form. */
  named: number;
}

/** `H` in a cron expression spreads schedules by their ID. */
const HASHED = `(^|[\\s,"[])[Hh]`;

/** Specs of the schedules that will fire, each once: of 100,000 schedules most share a few. */
export async function readForms(store: Store, query: FormQuery): Promise<Form[]> {
  const { until, tenant, text, namespace, taskQueue, named } = query;
  const conditions = [sql`t.next_fire_at <= ${until}`, sql`s.deleted_at is null`, sql`not s.paused`];
  if (tenant !== undefined) conditions.push(sql`s.tenant = ${tenant}`);
  if (text !== undefined)
    conditions.push(sql`(${contains(sql`s.schedule_id`, text)} or ${contains(sql`s.note`, text)})`);
  if (namespace !== undefined) conditions.push(sql`v.namespace = ${namespace}`);
  if (taskQueue !== undefined) conditions.push(sql`v.action ->> 'taskQueue' = ${taskQueue}`);
  const { rows } = await sql<Form>`
    select spec, count(*)::int as schedules, sum(jittered)::int as jittered,
      case when (spec -> 'cron')::text ~ ${HASHED} then array_agg(schedule_id order by schedule_id)
        else (array_agg(schedule_id order by schedule_id))[1:${named}::int] end as "scheduleIds"
    from (select v.spec - 'jitter' as spec, s.schedule_id, case when v.spec ? 'jitter' then 1 else 0 end as jittered
      from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)
      join ${store.table('schedule_versions')} v using (schedule_id, version)
      where ${sql.join(conditions, sql` and `)}) x
    group by spec order by schedules desc`.execute(store.db);
  return rows;
}
