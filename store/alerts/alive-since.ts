import { type RawBuilder, sql } from 'kysely';
import { ALERT_DEFAULTS } from '../../core/alert-defaults';
import type { Store } from '../connection';
import { staleBefore } from '../settings';
import { instantIn } from '../text';

/**
 * A part of the heartbeat's statement. If no trigger was alive, it records that one is alive again, and since when
 * triggers were alive before. It then returns the recorded instant as `at`, even if another trigger recorded it at the
 * same time. A separate statement could be lost with a trigger that dies right after its heartbeat.
 *
 * @param now the time of the heartbeat; undefined if the database's clock counts
 * @param isExpected the condition of the heartbeat itself
 */
export function noteAliveSince(
  store: Store,
  now: Date | undefined,
  isExpected: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const at = sql`coalesce(${now ?? null}::timestamptz, clock_timestamp())`;
  const noted = instantIn(sql`m.value`, 'at');
  // If another trigger has just recorded this too, its record stays, since servers report only longer times without
  // triggers.
  return sql`insert into ${store.table('meta')} as m (key, value)
    select 'alive_since', jsonb_build_object('at', ${at})
    where ${isExpected} and not exists (select from ${store.table('triggers')} t where t.heartbeat_at > ${staleBefore(store, now)})
    on conflict (key) do update set value = case
      when coalesce(${noted} <= ${at} - interval '1 millisecond' * ${ALERT_DEFAULTS.noneAliveMilliseconds}::int or ${noted} > ${at}, true)
        then excluded.value || jsonb_build_object('before', m.value -> 'at')
      else m.value end
    returning ${noted} as at`;
}

/**
 * With `at`: since when triggers are alive. With `before`: since when they were alive before the last time without a
 * live trigger. Null if nothing is recorded.
 */
export function aliveSince(store: Store, which: 'at' | 'before'): RawBuilder<Date | null> {
  return sql`(select ${instantIn(sql`value`, which)} from ${store.table('meta')} where key = 'alive_since')`;
}
