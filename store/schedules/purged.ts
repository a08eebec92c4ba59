import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';

/**
 * What a purge has kept of an erased schedule with the ID of the row `x`; null if there was none. This is the time up
 * to which the schedule was answered, and its largest version number, where negative numbers count without their sign.
 * Firings that the erased schedule had handed over ahead must not fire again.
 */
export function purgedOf(store: Store): RawBuilder<unknown> {
  const meta = store.table('meta');
  return sql`(select p.value from ${meta} i join ${meta} p
    on p.key = 'purged:' || encode(sha256(convert_to((i.value #>> '{}') || E'\nschedule\n' || x.schedule_id, 'UTF8')), 'hex')
    where i.key = 'installation')`;
}

/**
 * Whether the run of the row `x`, which has `started_at`, belongs to an erased schedule. A later schedule of the same ID
 * has nothing to do with the run. This is about the run itself, not its chain: a reset begins a new run, which may have
 * started after the later schedule was created.
 */
export function isOfErased(store: Store): RawBuilder<boolean> {
  return sql<boolean>`(${purgedOf(store)} is not null and x.started_at < (select min(v.created_at)
    from ${store.table('schedule_versions')} v where v.schedule_id = x.schedule_id and v.version > 0))`;
}
