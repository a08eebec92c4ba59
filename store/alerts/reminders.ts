import { sql } from 'kysely';
import type { Store } from '../connection';
import { ALERT_COLUMNS, type Alert } from './read-alerts';
import { isSilenced } from './silences';

export interface Reminder extends Alert {
  /** How many reminder intervals the alert has been open for. */
  reminder: number;
}

/**
 * Reads open alerts that nobody has acknowledged and whose next reminder became due since `readTo`. After a time in
 * which no pass ran, each alert is read once, even if several of its reminders became due. Alerts that were never sent,
 * are silenced or behind a summary are left out, and so are alerts whose problem was absent at their last check.
 */
export async function readReminders(
  store: Store,
  { now, readTo, everyMilliseconds }: { now: Date; readTo: Date; everyMilliseconds: number },
): Promise<Reminder[]> {
  const stretches = (until: Date) =>
    sql`floor(extract(epoch from ${until}::timestamptz - a.opened_at) * 1000 / ${everyMilliseconds}::float8)`;
  const { rows } =
    await sql<Reminder>`select ${ALERT_COLUMNS}, ${stretches(now)}::int as reminder from ${store.table('alerts')} a
    where a.resolved_at is null and a.acknowledged_at is null and a.summary_id is null and a.good_since is null and a.told_at is not null
      and not ${isSilenced(store, now)}
      and ${stretches(now)} > greatest(0, ${stretches(readTo)})
    order by a.opened_at, a.alert_id`.execute(store.db);
  return rows;
}
