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
/** For so long a request with a key is answered as before. */
const REQUESTS_KEPT_MILLISECONDS = DAY_MILLISECONDS;
/** Who asks what was changed asks within a year. */
const AUDIT_KEPT_MILLISECONDS = 400 * DAY_MILLISECONDS;
/** Nobody takes back later what was changed. */
const BULK_KEPT_MILLISECONDS = 90 * DAY_MILLISECONDS;

type DeletePage = () => Promise<number>;

/**
 * Delete, page by page, what nobody needs any more. What this role may not delete stays: its trigger has said so at its start.
 */
export async function forget(context: TriggerContext): Promise<void> {
  const pages = forgotten(context, await forgottenTo(context));
  const deletable = await readDeletable(context.store, [...pages.keys()]);
  for (const table of deletable) {
    // What was missed would be forgotten with them.
    if (table === 'gaps' && !deletable.includes('firing_counts')) continue;
    const deletePage = pages.get(table)!;
    while (!context.stopping.aborted && (await deletePage()) === FORGOTTEN_AT_ONCE);
  }
}

/**
 * What nobody needs any more, table by table. A day: leases that ended, and what the HTTP API answered. A month: what
 * people were told. 90 days: changes of many schedules. 400 days: what was changed through the API. As long as the
 * retention: alerts that are over, and gaps and settled letters that lie where months are retired. What was missed long
 * ago and answered today is shown for as long as any other answer.
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
  // Nothing is retired yet.
  if (!floor) return pages;
  const ended = before < floor ? before : floor;
  const now = new Date(clock.now());
  return pages
    .set('gaps', () => deleteGaps(store, { before: ended, now }))
    .set('dead_letters', () => deleteSettledLetters(store, { floor, before, now }));
}

/** Where retired months end, and archived ones where the ledger archives first: nothing else has what lies after. */
async function forgottenTo({ store, settings, retentionFloor }: TriggerContext): Promise<Date | undefined> {
  if (!settings.archiveFirst || !retentionFloor) return retentionFloor;
  const archivedTo = await readArchivedTo(store);
  return archivedTo && archivedTo < retentionFloor ? archivedTo : archivedTo && retentionFloor;
}
