import { type RawBuilder, sql } from 'kysely';
import type { Store } from './connection';
import { SPEC_FORMAT } from './spec-format';
import { run } from './transaction';

const MINUTE = 60_000;
/** Starts, running chains and redrives are checked again within ten minutes, a start handed over ahead included. */
const FAR_MILLISECONDS = 20 * MINUTE;
/** Ended chains are polled, and the schedules of a tenant with a quota planned, once an hour at least. */
const VERY_FAR_MILLISECONDS = 120 * MINUTE;

/** How many rows of each kind one call makes due. */
const DUE_AT_ONCE = 5_000;

/**
 * Make checks due that lie further ahead than any program sets them: they were written while the clock of Postgres was
 * ahead, and would wait for that time. The heartbeats of that time are set to `now`. A dead trigger would seem alive
 * until then, and a live one soon writes its next heartbeat.
 *
 * If any are found, timers that wait past their next occurrence are made due too. Alone they prove nothing: a long jitter
 * makes timers wait so. Such a timer is planned again, to no effect.
 *
 * @returns whether a further call may find more
 */
export async function makeFarChecksDue(store: Store, now: Date): Promise<boolean> {
  const far = new Date(now.getTime() + FAR_MILLISECONDS);
  const veryFar = new Date(now.getTime() + VERY_FAR_MILLISECONDS);
  const [firings, timers] = [store.table('firings'), store.table('timers')];
  const checks = (state: 'claimed' | 'linked' | 'closed', after: Date) => sql`with page as materialized (
      select schedule_id, scheduled_time from ${firings} where state = ${sql.lit(state)} and check_at > ${after}
      limit ${DUE_AT_ONCE} for no key update skip locked)
    update ${firings} f set check_at = ${now} from page p
    where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time and f.check_at > ${after}`;
  const statements: RawBuilder<unknown>[] = [
    checks('claimed', far),
    checks('linked', far),
    checks('closed', veryFar),
    sql`update ${store.table('dead_letters')} set redrive = redrive || jsonb_build_object('lookAt', ${now.toISOString()}::text)
      where state = 'redriving' and (redrive ->> 'lookAt')::timestamptz > ${far}`,
    sql`update ${store.table('triggers')} set heartbeat_at = ${now} where heartbeat_at > ${far}`,
  ];
  const late = sql`with page as materialized (
        select schedule_id from ${timers} where next_fire_at <= ${now} and wake_at > ${veryFar} and isfinite(wake_at)
          and spec_format <= ${SPEC_FORMAT}
        order by schedule_id limit ${DUE_AT_ONCE} for no key update skip locked)
      update ${timers} t set wake_at = ${now}, seq = seq + 1 from page p where t.schedule_id = p.schedule_id`;
  const change = async (statement: RawBuilder<unknown>) => Number((await run(store, statement)).numAffectedRows ?? 0);
  const made: number[] = [];
  for (const statement of statements) made.push(await change(statement));
  const isFound = made.some((count) => count > 0);
  while (isFound && (await change(late)) === DUE_AT_ONCE);
  return made.includes(DUE_AT_ONCE);
}
