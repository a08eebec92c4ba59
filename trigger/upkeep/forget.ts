import { ALERT_DEFAULTS } from '../../core/alerts';
import { deleteOld } from '../../store/alerts/forget';
import { readArchivedTo } from '../../store/archive/restored';
import { addUpCounts } from '../../store/firings/counts';
import {
  deleteEndedLeases,
  deleteGaps,
  deleteSettledLetters,
  FORGOTTEN_AT_ONCE,
  type ForgottenTable,
  readDeletable,
} from '../../store/firings/forget';
import type { TriggerContext } from '../context';

const DAY_MILLISECONDS = 86_400_000;
/** A repeated request with the same key gets the same answer for this long. */
const REQUESTS_KEPT_MILLISECONDS = DAY_MILLISECONDS;
/** The audit log is kept for a little over a year. */
const AUDIT_KEPT_MILLISECONDS = 400 * DAY_MILLISECONDS;
/** Changes of many schedules can be undone for this long. */
const BULK_KEPT_MILLISECONDS = 90 * DAY_MILLISECONDS;

type DeletePage = () => Promise<number>;

/**
 * Delete rows that nobody needs any more, batch by batch. Rows that this role may not delete stay; the trigger has
 * logged that at its start.
 */
export async function forget(context: TriggerContext): Promise<void> {
  const pages = forgotten(context, await forgottenTo(context));
  const deletable = await readDeletable(context.store, [...pages.keys()]);
  for (const table of deletable) {
    // Without the counts, the missed occurrences would be forgotten with these gaps.
    if (table === 'gaps' && !deletable.includes('firing_counts')) continue;
    const deletePage = pages.get(table)!;
    while (!context.stopping.aborted && (await deletePage()) === FORGOTTEN_AT_ONCE);
  }
}

/**
 * How long each table keeps rows that nobody needs any more. Keep ended leases, and answers of the HTTP API, for a day.
 * A month: sent alert messages. 90 days: changes of many schedules. 400 days: the audit log of the API. As long as the
 * retention: resolved alerts, and gaps and settled letters of retired months. An occurrence that was missed long ago
 * and settled today is shown as long as any other that is settled today.
 */
function forgotten(
  { store, clock, settings }: TriggerContext,
  floor: Date | undefined,
): Map<ForgottenTable, DeletePage> {
  const toldBefore = new Date(clock.now() - ALERT_DEFAULTS.messagesKeptMilliseconds);
  const pages = new Map<ForgottenTable, DeletePage>([
    ['firing_counts', () => addUpCounts(store)],
    ['leases', () => deleteEndedLeases(store)],
    ['alert_messages', () => deleteOld(store, 'alert_messages', toldBefore)],
    ['alert_silences', () => deleteOld(store, 'alert_silences', toldBefore)],
    ['api_requests', () => deleteOld(store, 'api_requests', new Date(clock.now() - REQUESTS_KEPT_MILLISECONDS))],
    ['bulk_operations', () => deleteOld(store, 'bulk_operations', new Date(clock.now() - BULK_KEPT_MILLISECONDS))],
    ['api_audit', () => deleteOld(store, 'api_audit', new Date(clock.now() - AUDIT_KEPT_MILLISECONDS))],
  ]);
  if (settings.retentionMilliseconds === Number.POSITIVE_INFINITY) return pages;
  const before = new Date(clock.now() - settings.retentionMilliseconds);
  pages.set('alerts', () => deleteOld(store, 'alerts', before));
  // No month is retired yet.
  if (!floor) return pages;
  const ended = before < floor ? before : floor;
  const now = new Date(clock.now());
  return pages
    .set('gaps', () => deleteGaps(store, { before: ended, now }))
    .set('dead_letters', () => deleteSettledLetters(store, { floor, before, now }));
}

/**
 * The end of the retired months, or of the archived ones if the ledger archives first: later rows exist nowhere else.
 */
async function forgottenTo({ store, settings, retentionFloor }: TriggerContext): Promise<Date | undefined> {
  if (!settings.archiveFirst || !retentionFloor) return retentionFloor;
  const archivedTo = await readArchivedTo(store);
  return archivedTo && archivedTo < retentionFloor ? archivedTo : archivedTo && retentionFloor;
}
